-- ListRewriteRules returns the active rewrite rules in the order in which they apply.
-- name: ListRewriteRules :many
SELECT id, version, name, target_column, pattern, replacement, case_sensitive FROM cleaning_rules
WHERE active AND kind = 'REWRITE' ORDER BY position, id;

-- ListValidationRules returns the active rules that the validator flags, in order.
-- name: ListValidationRules :many
SELECT id, version, name, target_column, pattern, case_sensitive FROM cleaning_rules
WHERE active AND kind = 'VALIDATE' ORDER BY position, id;

-- CleaningWindow returns the id that ends a window of documents, 0 at the end of the collection.
-- name: CleaningWindow :one
SELECT coalesce((SELECT max(w.id) FROM (SELECT id FROM documents WHERE id > @after ORDER BY id LIMIT @documents) w), 0)::bigint;

-- ClaimCleaning returns the units of a window of documents with the text of their column.
-- name: ClaimCleaning :many
SELECT q.unit_id, q.rule_id, q.rule_version, q.target_column, target_text(d, q.target_column)::text AS value,
    coalesce(d.reference_code, d.description_id)::text AS unit_name
FROM cleaning_queue q JOIN documents d ON d.id = q.unit_id
WHERE q.unit_id > @after AND q.unit_id <= @upto AND (q.pending OR @force::boolean)
ORDER BY q.unit_id, q.position, q.rule_id
LIMIT @max_rows;

-- LockDocuments locks documents that no human decided on, in order of their ids, with the texts that rules may rewrite.
-- name: LockDocuments :many
SELECT id, original_title, coalesce(scope_content, '')::text AS scope_content, coalesce(admin_bio_history, '')::text AS admin_bio_history,
    coalesce(provenance, '')::text AS provenance, coalesce(archivist_notes, '')::text AS archivist_notes
FROM documents WHERE id = ANY (@ids::bigint[]) AND NOT human_decided(review_status)
ORDER BY id FOR UPDATE;

-- RewriteDocuments stores the cleaned texts; an empty text is kept as none, but for the title.
-- name: RewriteDocuments :exec
UPDATE documents d SET
    original_title = CASE c.target_column WHEN 'original_title' THEN u.value ELSE d.original_title END,
    scope_content = CASE c.target_column WHEN 'scope_content' THEN nullif(u.value, '') ELSE d.scope_content END,
    admin_bio_history = CASE c.target_column WHEN 'admin_bio_history' THEN nullif(u.value, '') ELSE d.admin_bio_history END,
    provenance = CASE c.target_column WHEN 'provenance' THEN nullif(u.value, '') ELSE d.provenance END,
    archivist_notes = CASE c.target_column WHEN 'archivist_notes' THEN nullif(u.value, '') ELSE d.archivist_notes END,
    updated_at = now()
FROM (SELECT unnest(@unit_ids::bigint[]) AS unit_id, unnest(@new_values::text[]) AS value) AS u, (SELECT @target_column::text AS target_column) AS c
WHERE d.id = u.unit_id;

-- JournalChanges records what a run changed.
-- name: JournalChanges :exec
INSERT INTO change_journal (run_id, unit_kind, unit_id, field, before, after, rule_id)
SELECT @run_id, @unit_kind::text, u.unit_id, u.field, u.before, u.after, nullif(u.rule_id, 0)
FROM (SELECT unnest(@unit_ids::bigint[]) AS unit_id, unnest(@fields::text[]) AS field, unnest(@befores::text[]) AS before,
    unnest(@afters::text[]) AS after, unnest(@rule_ids::integer[]) AS rule_id) AS u;
