-- PairState says what the known pairs can answer: the lowest threshold that names were compared at, if they ever were, and how many names are new or
-- changed since.
-- name: PairState :one
SELECT c.floor, (SELECT count(*) FROM (SELECT DISTINCT b.kind, unnest(b.ids) FROM pair_backlog b) n)::bigint AS changed FROM pair_comparison c;

-- CountPairs counts the pairs that are at least as similar as numerator / denominator: those that wait, and those that a forced run would judge.
-- name: CountPairs :one
SELECT count(*) FILTER (WHERE q.pending) AS pending, count(*) AS eligible FROM conflict_judge_queue q
WHERE q.shared * sqlc.arg(denominator)::bigint >= sqlc.arg(numerator)::bigint * q.total;

-- LockPairs lets one compare names at a time: who comes second waits for the first, and then sees what it did.
-- name: LockPairs :exec
SELECT pg_advisory_xact_lock(hashtextextended('scrinalia pairs', 0));

-- ListChangedNames returns the names that are new or changed.
-- name: ListChangedNames :many
SELECT id, kind, ids FROM pair_backlog ORDER BY id;

-- ListTagNames returns the names of all tags.
-- name: ListTagNames :many
SELECT id, name FROM tags ORDER BY id;

-- ListEntityNames returns the names of all entities.
-- name: ListEntityNames :many
SELECT id, name FROM entities ORDER BY id;

-- ShowCharacters says how pg_trgm reads characters.
-- name: ShowCharacters :many
SELECT c.value::text AS value, lower(c.value)::text AS lower, show_trgm(c.value)::text[] AS trigrams FROM (SELECT unnest(@characters::text[]) AS value) AS c;

-- DropPairs removes the pairs of these tags and entities, or all of them, that are not among those found.
-- name: DropPairs :exec
DELETE FROM similar_pairs p
WHERE (@everything::boolean OR p.tag_id = ANY (@changed_tags::bigint[]) OR p.entity_id = ANY (@changed_entities::bigint[]))
    AND NOT EXISTS (SELECT FROM (SELECT unnest(@tags::bigint[]) AS tag_id, unnest(@entities::bigint[]) AS entity_id) f
        WHERE f.tag_id = p.tag_id AND f.entity_id = p.entity_id);

-- SavePairs adds or renews the pairs that were found, in their order. A name that went meanwhile has none.
-- name: SavePairs :exec
INSERT INTO similar_pairs (tag_id, entity_id, shared, total)
SELECT f.tag_id, f.entity_id, f.shared, f.total
FROM (SELECT unnest(@tags::bigint[]) AS tag_id, unnest(@entities::bigint[]) AS entity_id, unnest(@shared::integer[]) AS shared, unnest(@total::integer[]) AS total,
    unnest(@places::bigint[]) AS place) f
JOIN tags t ON t.id = f.tag_id
JOIN entities e ON e.id = f.entity_id
ORDER BY f.place
FOR KEY SHARE OF t, e
ON CONFLICT (tag_id, entity_id) DO UPDATE SET shared = excluded.shared, total = excluded.total
WHERE (similar_pairs.shared, similar_pairs.total) <> (excluded.shared, excluded.total);

-- ForgetChangedNames removes what was dealt with from the backlog.
-- name: ForgetChangedNames :exec
DELETE FROM pair_backlog WHERE id = ANY (@ids::bigint[]);

-- SetPairFloor notes the lowest threshold that names were compared at.
-- name: SetPairFloor :exec
UPDATE pair_comparison SET floor = @floor::float8 WHERE floor IS DISTINCT FROM @floor::float8;

-- ClaimPairs returns the next pairs to judge, and how both sides are used.
-- name: ClaimPairs :many
SELECT q.unit_id, q.tag_id, q.entity_id, q.shared, q.total, t.name AS tag, e.name AS entity, e.type AS entity_type,
    (SELECT count(*) FROM document_tags l WHERE l.tag_id = q.tag_id)::bigint AS tag_documents,
    (SELECT count(*) FROM document_entities l WHERE l.entity_id = q.entity_id)::bigint AS entity_documents,
    (SELECT count(*) FROM document_tags l JOIN document_entities k ON k.document_id = l.document_id AND k.entity_id = q.entity_id WHERE l.tag_id = q.tag_id)::bigint AS shared_documents
FROM (SELECT c.* FROM conflict_judge_queue c
    WHERE c.unit_id > @after AND (c.pending OR @force::boolean) AND c.shared * sqlc.arg(denominator)::bigint >= sqlc.arg(numerator)::bigint * c.total
    ORDER BY c.unit_id LIMIT @max_rows) q
JOIN tags t ON t.id = q.tag_id
JOIN entities e ON e.id = q.entity_id
ORDER BY q.unit_id;

-- LockTags locks tags.
-- name: LockTags :many
SELECT id, name FROM tags WHERE id = ANY (@ids::bigint[]) ORDER BY id FOR UPDATE;

-- LockEntities locks entities.
-- name: LockEntities :many
SELECT id, name, type FROM entities WHERE id = ANY (@ids::bigint[]) ORDER BY id FOR UPDATE;

-- SaveRuling keeps what an engine ruled of a pair: its row in the review queue. No row comes back when a person decided meanwhile, or took a ruling back.
-- name: SaveRuling :many
INSERT INTO review_queue (kind, tag_id, entity_id, evidence, run_id)
VALUES ('CONFLICT', @tag_id::bigint, @entity_id::bigint, @evidence::jsonb, @run_id::bigint)
ON CONFLICT (tag_id, entity_id) WHERE kind = 'CONFLICT' DO UPDATE SET evidence = excluded.evidence, run_id = excluded.run_id
WHERE review_queue.decided_at IS NULL AND NOT EXISTS (SELECT FROM resolutions r WHERE r.review_id = review_queue.id)
RETURNING id;

-- DropStamps removes the stamps of units of a worker.
-- name: DropStamps :exec
DELETE FROM execution_log WHERE worker_name = @worker_name AND unit_id = ANY (@unit_ids::bigint[]);

-- ResolveConflict gives a pair's name to the winner. Run 0 is none: a person decided.
-- name: ResolveConflict :one
SELECT resolve_conflict(@review_id, @winner, nullif(@run_id::bigint, 0), @decided_by, sqlc.narg(confidence)::real, @reason)::bigint AS resolution;

-- GetReview returns a row of the review queue.
-- name: GetReview :one
SELECT * FROM review_queue WHERE id = @id;

-- LockReview locks a row of the review queue.
-- name: LockReview :one
SELECT * FROM review_queue WHERE id = @id FOR UPDATE;

-- DismissConflict notes that the tag and the entity of a pair are different things.
-- name: DismissConflict :exec
UPDATE review_queue SET decided_at = now(), decided_by = @person, decision = 'DISMISSED' WHERE id = @id;

-- ReopenConflict takes the decision of a row back.
-- name: ReopenConflict :exec
UPDATE review_queue SET decided_at = NULL, decided_by = NULL, decision = NULL WHERE id = @id;

-- GetResolution returns a resolution.
-- name: GetResolution :one
SELECT * FROM resolutions WHERE id = @id;

-- LockResolution locks a resolution.
-- name: LockResolution :one
SELECT * FROM resolutions WHERE id = @id FOR UPDATE;

-- FindObstacle returns the resolution that took away the winner of this one: it has to be undone first.
-- name: FindObstacle :many
SELECT x.id FROM resolutions r JOIN resolutions x ON x.undone_at IS NULL AND x.id <> r.id AND x.winner <> r.winner
    AND CASE r.winner WHEN 'TAG' THEN x.tag_id = r.tag_id ELSE x.entity_id = r.entity_id END
WHERE r.id = @id ORDER BY x.id DESC LIMIT 1;

-- UndoResolution brings the loser of a resolution back.
-- name: UndoResolution :exec
SELECT undo_resolution(@id, @person);

-- ListResolutions returns what was decided of a row of the review queue, newest first.
-- name: ListResolutions :many
SELECT id, review_id, tag_id, entity_id, winner, run_id, decided_by, decided_at, confidence, reason, undone_at, undone_by,
    (SELECT count(*) FROM resolution_links l WHERE l.resolution_id = resolutions.id)::bigint AS documents
FROM resolutions WHERE review_id = @review_id ORDER BY id DESC;
