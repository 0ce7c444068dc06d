-- ListTypologies returns the active typologies, whose names are the labels of the typology worker.
-- name: ListTypologies :many
SELECT id, name FROM typologies WHERE retired_at IS NULL ORDER BY id;

-- ClaimTypology returns the next documents without a typology, with the text that is classified.
-- name: ClaimTypology :many
SELECT q.unit_id, coalesce(d.reference_code, d.description_id)::text AS unit_name, composed_text(d, @columns::text[])::text AS value
FROM (SELECT unit_id FROM typology_queue WHERE unit_id > @after AND (pending OR @force::boolean) ORDER BY unit_id LIMIT @max_rows) q
JOIN documents d ON d.id = q.unit_id
ORDER BY q.unit_id;

-- LockUntyped locks documents that nobody gave a typology and no human decided on, with the fingerprint of the text in these columns.
-- name: LockUntyped :many
SELECT d.id, input_hash(composed_text(d, @columns::text[]))::bytea AS fingerprint FROM documents d
WHERE d.id = ANY (@ids::bigint[]) AND d.typology_id IS NULL AND NOT human_decided(d.review_status) ORDER BY d.id FOR UPDATE;

-- SetTypologies gives documents their typology.
-- name: SetTypologies :exec
UPDATE documents d SET typology_id = u.typology_id, updated_at = now()
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@typologies::integer[]) AS typology_id) AS u
WHERE d.id = u.id;

-- SaveTypologyScores keeps the best typology with its score; 0 is none.
-- name: SaveTypologyScores :exec
INSERT INTO typology_scores (document_id, typology_id, score, run_id)
SELECT u.id, nullif(u.typology_id, 0), u.score, @run_id::bigint
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@typologies::integer[]) AS typology_id, unnest(@scores::real[]) AS score) AS u
ON CONFLICT (document_id) DO UPDATE SET typology_id = excluded.typology_id, score = excluded.score, run_id = excluded.run_id;

-- JournalTypologies records which typologies a run set.
-- name: JournalTypologies :exec
INSERT INTO change_journal (run_id, unit_kind, unit_id, field, after)
SELECT @run_id::bigint, 'document', u.id, 'typology', t.name
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@typologies::integer[]) AS typology_id) AS u
JOIN typologies t ON t.id = u.typology_id;
