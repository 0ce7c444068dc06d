-- ListSubjectLabels returns the active subject categories with the label that classifiers are offered.
-- name: ListSubjectLabels :many
SELECT id, coalesce(classifier_label, name)::text AS label FROM subject_categories WHERE retired_at IS NULL ORDER BY id;

-- ListNoSubjects returns the terms that are no subject: the exclusions and the people of the collection.
-- name: ListNoSubjects :many
SELECT kind, term FROM exclusions WHERE retired_at IS NULL AND kind IN ('SUBJECT', 'COLLECTION') ORDER BY id;

-- ClaimTags returns the next tags without a subject category; with force also those that runs filed.
-- name: ClaimTags :many
SELECT q.unit_id, t.name
FROM (
    (SELECT w.unit_id FROM macro_category_queue w WHERE w.unit_id > @after AND (w.pending OR @force::boolean) ORDER BY w.unit_id LIMIT @max_rows)
    UNION ALL
    (SELECT l.unit_id FROM execution_log l
     WHERE @force::boolean AND l.worker_name = 'macro-category' AND l.rule_version = 0 AND l.outcome = 'SETTLED' AND l.unit_id > @after
     ORDER BY l.unit_id LIMIT @max_rows)
    ORDER BY 1 LIMIT @max_rows
) q
JOIN tags t ON t.id = q.unit_id
ORDER BY q.unit_id;

-- LockUncategorised locks tags that nobody filed, with force also those that runs filed, with the fingerprint of their name.
-- name: LockUncategorised :many
SELECT t.id, input_hash(t.name)::bytea AS fingerprint FROM tags t
WHERE t.id = ANY (@ids::bigint[]) AND (t.subject_category_id IS NULL OR @force::boolean AND EXISTS (
    SELECT FROM execution_log l WHERE l.worker_name = 'macro-category' AND l.unit_id = t.id AND l.rule_version = 0 AND l.outcome = 'SETTLED'))
ORDER BY t.id FOR UPDATE OF t;

-- SetCategories files tags; 0 takes them out again.
-- name: SetCategories :exec
UPDATE tags t SET subject_category_id = nullif(u.category_id, 0)
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@categories::integer[]) AS category_id) AS u
WHERE t.id = u.id AND t.subject_category_id IS DISTINCT FROM nullif(u.category_id, 0);

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

-- JournalCategories records under which categories a run is about to file tags, or from which it takes them.
-- name: JournalCategories :exec
INSERT INTO change_journal (run_id, unit_kind, unit_id, field, before, after)
SELECT @run_id::bigint, 'tag', t.id, 'subject_category', b.name, a.name
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@categories::integer[]) AS category_id) AS u
JOIN tags t ON t.id = u.id AND t.subject_category_id IS DISTINCT FROM nullif(u.category_id, 0)
LEFT JOIN subject_categories b ON b.id = t.subject_category_id
LEFT JOIN subject_categories a ON a.id = u.category_id;
