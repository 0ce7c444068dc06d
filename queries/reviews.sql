-- ListConflicts returns the open conflicts of a tag and an entity above an id, with how each name is used.
-- name: ListConflicts :many
SELECT q.id, q.created_at, q.run_id, q.evidence, t.id AS tag_id, t.name AS tag, e.id AS entity_id, e.name AS entity, e.type,
    (SELECT count(*) FROM (SELECT FROM document_tags x WHERE x.tag_id = t.id LIMIT 101) n)::bigint AS tag_documents,
    ARRAY(SELECT d.original_title FROM document_tags x JOIN documents d ON d.id = x.document_id WHERE x.tag_id = t.id ORDER BY x.document_id LIMIT 2)::text[] AS tag_titles,
    (SELECT count(*) FROM (SELECT FROM document_entities x WHERE x.entity_id = e.id LIMIT 101) n)::bigint AS entity_documents,
    ARRAY(SELECT d.original_title FROM document_entities x JOIN documents d ON d.id = x.document_id WHERE x.entity_id = e.id ORDER BY x.document_id LIMIT 2)::text[] AS entity_titles
FROM review_queue q
JOIN tags t ON t.id = q.tag_id
JOIN entities e ON e.id = q.entity_id
WHERE q.kind = 'CONFLICT' AND q.decided_at IS NULL AND NOT q.moot AND q.id > @after
ORDER BY q.id
LIMIT @max_rows;

-- ListSubjects returns the tags that wait for a category, above an id.
-- name: ListSubjects :many
SELECT q.id, q.created_at, q.run_id, q.evidence, t.id AS tag_id, t.name AS tag,
    (SELECT count(*) FROM (SELECT FROM document_tags x WHERE x.tag_id = t.id LIMIT 101) n)::bigint AS tag_documents,
    ARRAY(SELECT d.original_title FROM document_tags x JOIN documents d ON d.id = x.document_id WHERE x.tag_id = t.id ORDER BY x.document_id LIMIT 3)::text[] AS tag_titles
FROM review_queue q
JOIN tags t ON t.id = q.tag_id
WHERE q.kind = 'SUBJECT' AND q.decided_at IS NULL AND NOT q.moot AND q.id > @after
ORDER BY q.id
LIMIT @max_rows;

-- ListAnomalies returns the descriptions that need a review, above an id.
-- name: ListAnomalies :many
SELECT d.id, d.description_id, d.reference_code, d.original_title, l.name AS level, d.date, d.anomaly_reasons, d.updated_at,
    left(coalesce(d.scope_content, ''), 300)::text AS excerpt
FROM documents d
LEFT JOIN levels l ON l.id = d.level_id
WHERE d.review_status = 'NEEDS_REVIEW' AND d.id > @after
ORDER BY d.id
LIMIT @max_rows;

-- CountReviews counts what waits, of each kind up to 10,000 and one.
-- name: CountReviews :one
SELECT (SELECT count(*) FROM (SELECT FROM review_queue q WHERE q.kind = 'CONFLICT' AND q.decided_at IS NULL AND NOT q.moot LIMIT 10001) n)::bigint AS conflicts,
    (SELECT count(*) FROM (SELECT FROM review_queue q WHERE q.kind = 'SUBJECT' AND q.decided_at IS NULL AND NOT q.moot LIMIT 10001) n)::bigint AS subjects,
    (SELECT count(*) FROM (SELECT FROM documents d WHERE d.review_status = 'NEEDS_REVIEW' LIMIT 10001) n)::bigint AS anomalies;

-- ListDecided returns what was decided last, with the names as far as they are still there.
-- name: ListDecided :many
SELECT q.id, q.kind, q.created_at, q.run_id, q.evidence, q.tag_id, t.name AS tag, q.entity_id, e.name AS entity, e.type AS entity_type,
    q.document_id, d.reference_code, d.description_id, d.original_title, q.decided_at, q.decided_by, q.decision
FROM review_queue q
LEFT JOIN tags t ON t.id = q.tag_id
LEFT JOIN entities e ON e.id = q.entity_id
LEFT JOIN documents d ON d.id = q.document_id
WHERE q.decided_at IS NOT NULL AND (@id::bigint = 0 OR q.id = @id)
ORDER BY q.decided_at DESC, q.id DESC
LIMIT @max_rows;

-- LockTag locks a tag and returns its name and category.
-- name: LockTag :one
SELECT name, folded, subject_category_id, category_person FROM tags WHERE id = @id FOR UPDATE;

-- FileTag gives a tag the category that a person chose, or takes it back.
-- name: FileTag :exec
UPDATE tags SET subject_category_id = sqlc.narg(subject_category_id), category_person = sqlc.narg(category_person) WHERE id = @id;

-- GetCategory returns a subject category that may be chosen.
-- name: GetCategory :one
SELECT id, name FROM subject_categories WHERE id = @id AND retired_at IS NULL;

-- GetExclusion returns the exclusion of a term, also a retired one.
-- name: GetExclusion :many
SELECT id, retired_at FROM exclusions WHERE fold(term) = fold(@term::text) AND kind = 'SUBJECT' FOR UPDATE;

-- AddExclusion adds a term that is no subject.
-- name: AddExclusion :one
INSERT INTO exclusions (term, kind) VALUES (@term, 'SUBJECT') RETURNING id;

-- SetExclusion retires an exclusion, or brings it back.
-- name: SetExclusion :exec
UPDATE exclusions SET retired_at = sqlc.narg(retired_at) WHERE id = @id;

-- DropExclusion removes an exclusion.
-- name: DropExclusion :exec
DELETE FROM exclusions WHERE id = @id;

-- DecideReview notes a decision, with what it needs to be undone.
-- name: DecideReview :exec
UPDATE review_queue SET decided_at = clock_timestamp(), decided_by = @person, decision = @decision, evidence = evidence || @more::jsonb WHERE id = @id;

-- AddDecidedAnomaly notes what was decided of a description.
-- name: AddDecidedAnomaly :one
INSERT INTO review_queue (kind, document_id, evidence, decided_at, decided_by, decision)
VALUES ('ANOMALY', @document_id::bigint, @evidence, clock_timestamp(), @person, @decision) RETURNING id;

-- ReopenReview makes a review wait again, without what its decision had noted.
-- name: ReopenReview :exec
UPDATE review_queue SET decided_at = NULL, decided_by = NULL, decision = NULL, evidence = evidence - 'chosen' - 'chosen_id' - 'exclusion_id' - 'exclusion_made' - 'exclusion_retired_at'
WHERE id = @id;

-- DropReview removes a review.
-- name: DropReview :exec
DELETE FROM review_queue WHERE id = @id;

-- HasOpenSubject says whether a tag waits for a category.
-- name: HasOpenSubject :one
SELECT EXISTS (SELECT FROM review_queue WHERE kind = 'SUBJECT' AND decided_at IS NULL AND tag_id = @tag_id::bigint);

-- ListSameNames returns the open conflicts of a tag and an entity that bear the very same name.
-- name: ListSameNames :many
SELECT q.id, t.name FROM review_queue q
JOIN tags t ON t.id = q.tag_id
JOIN entities e ON e.id = q.entity_id
WHERE q.kind = 'CONFLICT' AND q.decided_at IS NULL AND NOT q.moot AND t.folded = e.folded
ORDER BY q.id
LIMIT @max_rows;

-- ListSameTitles returns the descriptions that need a review and have the title of this one.
-- name: ListSameTitles :many
SELECT d.id, d.original_title FROM documents o
JOIN documents d ON d.title_key = o.title_key AND d.review_status = 'NEEDS_REVIEW'
WHERE o.id = @id
ORDER BY d.id
LIMIT @max_rows;
