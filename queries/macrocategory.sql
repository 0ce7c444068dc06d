-- ListSubjectLabels returns the active subject categories with the label that classifiers are offered.
-- name: ListSubjectLabels :many
SELECT id, coalesce(classifier_label, name)::text AS label FROM subject_categories WHERE retired_at IS NULL ORDER BY id;

-- ListNoSubjects returns the terms that are no subject: the exclusions and the people of the collection.
-- name: ListNoSubjects :many
SELECT kind, term FROM exclusions WHERE retired_at IS NULL AND kind IN ('SUBJECT', 'COLLECTION') ORDER BY id;

-- ClaimTags returns the next tags without a subject category.
-- name: ClaimTags :many
SELECT q.unit_id, t.name
FROM (SELECT unit_id FROM macro_category_queue WHERE unit_id > @after AND (pending OR @force::boolean) ORDER BY unit_id LIMIT @max_rows) q
JOIN tags t ON t.id = q.unit_id
ORDER BY q.unit_id;

-- LockUncategorised locks tags that nobody filed, with the fingerprint of their name.
-- name: LockUncategorised :many
SELECT id, input_hash(name)::bytea AS fingerprint FROM tags WHERE id = ANY (@ids::bigint[]) AND subject_category_id IS NULL ORDER BY id FOR UPDATE;

-- SetCategories files tags.
-- name: SetCategories :exec
UPDATE tags t SET subject_category_id = u.category_id
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@categories::integer[]) AS category_id) AS u
WHERE t.id = u.id;

-- SaveSubjectScores keeps the best category with its score, or why the tag is no subject; 0 and '' are none.
-- name: SaveSubjectScores :exec
INSERT INTO subject_scores (tag_id, subject_category_id, score, refusal, run_id)
SELECT u.id, nullif(u.category_id, 0), u.score, nullif(u.refusal, ''), @run_id::bigint
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@categories::integer[]) AS category_id, unnest(@scores::real[]) AS score,
    unnest(@refusals::text[]) AS refusal) AS u
ON CONFLICT (tag_id) DO UPDATE SET subject_category_id = excluded.subject_category_id, score = excluded.score, refusal = excluded.refusal, run_id = excluded.run_id;

-- AskForSubjects leaves tags to a human: one open row a tag, with the best label.
-- name: AskForSubjects :exec
INSERT INTO review_queue (kind, tag_id, evidence, run_id)
SELECT 'SUBJECT', u.id, jsonb_build_object('subject_category_id', nullif(u.category_id, 0), 'category', c.name, 'score', u.score), @run_id::bigint
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@categories::integer[]) AS category_id, unnest(@scores::real[]) AS score) AS u
LEFT JOIN subject_categories c ON c.id = u.category_id
ON CONFLICT (tag_id) WHERE kind = 'SUBJECT' AND decided_at IS NULL DO UPDATE SET evidence = excluded.evidence, run_id = excluded.run_id;

-- WithdrawSubjects removes the open rows of tags that no longer wait for a human.
-- name: WithdrawSubjects :exec
DELETE FROM review_queue WHERE kind = 'SUBJECT' AND decided_at IS NULL AND tag_id = ANY (@ids::bigint[]);

-- JournalCategories records under which categories a run filed tags.
-- name: JournalCategories :exec
INSERT INTO change_journal (run_id, unit_kind, unit_id, field, after)
SELECT @run_id::bigint, 'tag', u.id, 'subject_category', c.name
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@categories::integer[]) AS category_id) AS u
JOIN subject_categories c ON c.id = u.category_id;
