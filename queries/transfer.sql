-- ClaimTransfer returns the next staging records to transfer: those of transfer_queue, written out so that each join begins after the last batch.
-- Nothing is locked: the guard lets one transfer run.
-- name: ClaimTransfer :many
SELECT s.id FROM staging_records s
LEFT JOIN documents d ON d.id = s.id AND d.id > @after
LEFT JOIN execution_log l ON l.worker_name = 'transfer' AND l.unit_id = s.id AND l.unit_id > @after AND l.rule_version = 0
    AND l.outcome = 'DONE' AND l.current
WHERE s.id > @after AND (d.id IS NULL OR NOT human_decided(d.review_status)) AND (l.unit_id IS NULL OR @force::boolean)
ORDER BY s.id
LIMIT @max_rows;

-- TransferDocuments makes the staging records of this batch into descriptions, or renews them: content from the source, AI results of
-- the old text gone, nothing that a human decided touched.
-- name: TransferDocuments :many
INSERT INTO documents (id, description_id, reference_code, parent_description_id, parent_reference_code, level_id, original_title, date, extent,
    repository, producers, admin_bio_history, provenance, scope_content, language, access_conditions, archivist_notes, image_url)
SELECT s.id, s.description_id, s.reference_code, s.parent_description_id, s.parent_reference_code, v.level_id, s.title, s.date, s.extent,
    s.repository, s.producers, s.admin_bio_history, s.provenance, s.scope_content, s.language, s.access_conditions, s.archivist_notes, s.image_url
FROM staging_records s
LEFT JOIN (
    SELECT DISTINCT ON (w.level) w.level, k.level_id
    FROM (SELECT DISTINCT r.level FROM staging_records r WHERE r.id = ANY (@ids::bigint[]) AND r.level IS NOT NULL) w
    JOIN (SELECT fold_key(l.name) AS key, l.id AS level_id, false AS is_alias FROM levels l WHERE l.retired_at IS NULL
          UNION ALL SELECT fold_key(a.alias), a.level_id, true FROM level_aliases a JOIN levels l ON l.id = a.level_id AND l.retired_at IS NULL) k
        ON k.key = fold_key(w.level)
    ORDER BY w.level, k.is_alias
) v ON v.level = s.level
WHERE s.id = ANY (@ids::bigint[])
ON CONFLICT (id) DO UPDATE SET
    description_id = excluded.description_id, reference_code = excluded.reference_code, parent_description_id = excluded.parent_description_id,
    parent_reference_code = excluded.parent_reference_code, level_id = excluded.level_id, original_title = excluded.original_title,
    date = excluded.date, extent = excluded.extent, repository = excluded.repository, producers = excluded.producers,
    admin_bio_history = excluded.admin_bio_history, provenance = excluded.provenance, scope_content = excluded.scope_content,
    language = excluded.language, access_conditions = excluded.access_conditions, archivist_notes = excluded.archivist_notes,
    image_url = excluded.image_url, typology_id = CASE WHEN documents.typology_person IS NOT NULL THEN documents.typology_id END, review_status = 'PENDING_AI', is_anomaly = false, anomaly_reasons = '{}', updated_at = now()
WHERE NOT human_decided(documents.review_status)
RETURNING id, (level_id IS NULL AND EXISTS (SELECT FROM staging_records r WHERE r.id = documents.id AND r.level <> ''))::boolean AS unknown_level, (created_at = now())::boolean AS created;

-- TagTransferred links the batch's descriptions with their tags and says how many links it made and removed.
-- name: TagTransferred :one
SELECT t.linked::bigint AS linked, t.unlinked::bigint AS unlinked FROM tag_staging(@ids::bigint[]) AS t;

-- PlaceTransferred gives descriptions their declared parents and paths.
-- name: PlaceTransferred :exec
SELECT place_documents(@ids::bigint[]);

-- ListAdoptable returns the orphans whose declared parent is in this batch and not below themselves.
-- name: ListAdoptable :many
SELECT o.document_id FROM document_hierarchy o JOIN documents c ON c.id = o.document_id
JOIN documents b ON b.reference_code = c.parent_reference_code AND b.id <> c.id
JOIN document_hierarchy p ON p.document_id = b.id AND NOT o.document_id = ANY (p.ancestors)
WHERE o.orphan AND b.id = ANY (@ids::bigint[])
UNION
SELECT o.document_id FROM document_hierarchy o JOIN documents c ON c.id = o.document_id
JOIN documents b ON b.description_id = c.parent_description_id AND b.id <> c.id
JOIN document_hierarchy p ON p.document_id = b.id AND NOT o.document_id = ANY (p.ancestors)
WHERE o.orphan AND b.id = ANY (@ids::bigint[]);

-- CountOrphans says how many of these descriptions still wait for their parent.
-- name: CountOrphans :one
SELECT count(*) FROM document_hierarchy WHERE orphan AND document_id = ANY (@ids::bigint[]);

-- StampTransfer stamps the batch with the content that the descriptions were made from.
-- name: StampTransfer :exec
INSERT INTO execution_log (worker_name, unit_kind, unit_id, fingerprint, run_id, outcome)
SELECT 'transfer', 'staging', s.id, s.content_hash, @run_id, 'DONE' FROM staging_records s WHERE s.id = ANY (@ids::bigint[])
ON CONFLICT (worker_name, unit_id, rule_version) DO UPDATE
SET fingerprint = excluded.fingerprint, run_id = excluded.run_id, outcome = 'DONE', error = NULL, current = true, held = false;

-- FailTransfer stamps one record that cannot be transferred with the reason.
-- name: FailTransfer :exec
INSERT INTO execution_log (worker_name, unit_kind, unit_id, fingerprint, run_id, outcome, error)
SELECT 'transfer', 'staging', s.id, s.content_hash, @run_id, 'FAILED', @error::text FROM staging_records s WHERE s.id = @id
ON CONFLICT (worker_name, unit_id, rule_version) DO UPDATE
SET fingerprint = excluded.fingerprint, run_id = excluded.run_id, outcome = 'FAILED', error = excluded.error, current = true, held = false;

-- NameRecords returns how people know these staging records.
-- name: NameRecords :many
SELECT id, coalesce(reference_code, description_id)::text AS name, coalesce(level, '')::text AS level FROM staging_records WHERE id = ANY (@ids::bigint[]) ORDER BY id;
