-- ClaimEmbedding returns the next documents with their whole text.
-- name: ClaimEmbedding :many
SELECT q.unit_id, coalesce(d.reference_code, d.description_id)::text AS unit_name, composed_text(d, text_columns('{}'))::text AS value
FROM (SELECT unit_id FROM embedding_queue WHERE unit_id > @after AND (pending OR @force::boolean) ORDER BY unit_id LIMIT @max_rows) q
JOIN documents d ON d.id = q.unit_id
ORDER BY q.unit_id;

-- LockIndexable locks documents that nobody rejected, with the fingerprint of their whole text.
-- name: LockIndexable :many
SELECT d.id, input_hash(composed_text(d, text_columns('{}')))::bytea AS fingerprint FROM documents d
WHERE d.id = ANY (@ids::bigint[]) AND d.review_status <> 'REJECTED' ORDER BY d.id FOR SHARE;

-- SaveVectors stores the vectors of a model; no vector stays as none.
-- name: SaveVectors :exec
INSERT INTO document_vectors (document_id, model, fingerprint, vector, run_id)
SELECT u.id, @model, u.fingerprint, u.vector, @run_id::bigint
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@fingerprints::bytea[]) AS fingerprint, unnest(@vectors::bytea[]) AS vector) AS u
ON CONFLICT (document_id, model) DO UPDATE
SET fingerprint = excluded.fingerprint, vector = excluded.vector, run_id = excluded.run_id, changed_in = excluded.changed_in;

-- DropOldVectors empties the vectors, of whatever model, that were made from another text than the document has now.
-- name: DropOldVectors :exec
UPDATE document_vectors v SET vector = NULL, changed_in = pg_current_xact_id()
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@fingerprints::bytea[]) AS fingerprint) AS u
WHERE v.document_id = u.id AND v.fingerprint <> u.fingerprint AND v.vector IS NOT NULL;
