-- ListTypologies returns the active typologies, whose names are the labels of the typology worker.
-- name: ListTypologies :many
SELECT id, name FROM typologies WHERE retired_at IS NULL ORDER BY id;

-- ClaimTypology returns the next documents without a typology, with the text that is classified; with force also those that runs gave one.
-- name: ClaimTypology :many
SELECT q.unit_id, coalesce(d.reference_code, d.description_id)::text AS unit_name, composed_text(d, @columns::text[])::text AS value
FROM (
    (SELECT w.unit_id FROM typology_queue w WHERE w.unit_id > @after AND (w.pending OR @force::boolean) ORDER BY w.unit_id LIMIT @max_rows)
    UNION ALL
    (SELECT l.unit_id FROM execution_log l
     WHERE @force::boolean AND l.worker_name = 'typology' AND l.rule_version = 0 AND l.outcome = 'SETTLED' AND NOT l.held AND l.unit_id > @after
     ORDER BY l.unit_id LIMIT @max_rows)
    ORDER BY 1 LIMIT @max_rows
) q
JOIN documents d ON d.id = q.unit_id
ORDER BY q.unit_id;

-- LockUntyped locks documents without a typology, or with one of a run, that no human decided on, with the fingerprint of the text in these
-- columns. With force only those of runs whose stamp is still there.
-- name: LockUntyped :many
SELECT d.id, input_hash(composed_text(d, @columns::text[]))::bytea AS fingerprint FROM documents d
WHERE d.id = ANY (@ids::bigint[]) AND NOT human_decided(d.review_status) AND (d.typology_id IS NULL OR @force::boolean AND EXISTS (
    SELECT FROM execution_log l WHERE l.worker_name = 'typology' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'SETTLED'))
ORDER BY d.id FOR UPDATE OF d;

-- SetTypologies gives documents their typology; 0 takes it back.
-- name: SetTypologies :exec
UPDATE documents d SET typology_id = nullif(u.typology_id, 0), updated_at = now()
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@typologies::integer[]) AS typology_id) AS u
WHERE d.id = u.id AND d.typology_id IS DISTINCT FROM nullif(u.typology_id, 0);

-- SaveTypologyScores keeps the best typology with its score; 0 is none.
-- name: SaveTypologyScores :exec
INSERT INTO typology_scores (document_id, typology_id, score, run_id)
SELECT u.id, nullif(u.typology_id, 0), u.score, @run_id::bigint
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@typologies::integer[]) AS typology_id, unnest(@scores::real[]) AS score) AS u
ON CONFLICT (document_id) DO UPDATE SET typology_id = excluded.typology_id, score = excluded.score, run_id = excluded.run_id;

-- JournalTypologies records which typologies a run is about to set or take back.
-- name: JournalTypologies :exec
INSERT INTO change_journal (run_id, unit_kind, unit_id, field, before, after)
SELECT @run_id::bigint, 'document', d.id, 'typology', b.name, a.name
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@typologies::integer[]) AS typology_id) AS u
JOIN documents d ON d.id = u.id AND d.typology_id IS DISTINCT FROM nullif(u.typology_id, 0)
LEFT JOIN typologies b ON b.id = d.typology_id
LEFT JOIN typologies a ON a.id = u.typology_id;
