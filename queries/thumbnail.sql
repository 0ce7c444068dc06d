-- ClaimThumbnails returns the next documents with the address of their picture.
-- name: ClaimThumbnails :many
SELECT q.unit_id, coalesce(d.reference_code, d.description_id)::text AS unit_name, d.image_url::text AS address
FROM (SELECT unit_id FROM thumbnail_queue WHERE unit_id > @after AND (pending OR @force::boolean) ORDER BY unit_id LIMIT @max_rows) q
JOIN documents d ON d.id = q.unit_id
ORDER BY q.unit_id;

-- LockPictured locks documents that no human decided on, with the fingerprint of the address of their picture.
-- name: LockPictured :many
SELECT d.id, input_hash(coalesce(d.image_url, ''))::bytea AS fingerprint FROM documents d
WHERE d.id = ANY (@ids::bigint[]) AND NOT human_decided(d.review_status) ORDER BY d.id FOR UPDATE;

-- SaveThumbnails notes what was stored.
-- name: SaveThumbnails :exec
INSERT INTO thumbnails (document_id, fingerprint, key, content_type, bytes, width, height, digest, run_id)
SELECT u.id, u.fingerprint, u.key, u.content_type, u.bytes, u.width, u.height, u.digest, @run_id::bigint
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@fingerprints::bytea[]) AS fingerprint, unnest(@keys::text[]) AS key,
    unnest(@content_types::text[]) AS content_type, unnest(@bytes::bigint[]) AS bytes, unnest(@widths::integer[]) AS width,
    unnest(@heights::integer[]) AS height, unnest(@digests::bytea[]) AS digest) AS u
ON CONFLICT (document_id) DO UPDATE SET fingerprint = excluded.fingerprint, key = excluded.key, content_type = excluded.content_type,
    bytes = excluded.bytes, width = excluded.width, height = excluded.height, digest = excluded.digest, run_id = excluded.run_id;

-- DropOutdatedThumbnails forgets the thumbnails of these documents that are of another address than the document has now, and returns their keys.
-- name: DropOutdatedThumbnails :many
DELETE FROM thumbnails t USING documents d
WHERE t.document_id = ANY (@ids::bigint[]) AND d.id = t.document_id AND t.fingerprint <> input_hash(coalesce(d.image_url, ''))
RETURNING t.key;

-- ReadThumbnail returns the thumbnail of the address that a document has now.
-- name: ReadThumbnail :one
SELECT t.document_id, t.key, t.content_type, t.bytes, t.width, t.height, t.digest, t.run_id
FROM thumbnails t JOIN documents d ON d.id = t.document_id
WHERE t.document_id = @document_id AND t.fingerprint = input_hash(coalesce(d.image_url, ''));

-- ListLooseKeys returns those of these keys that are not their document's.
-- name: ListLooseKeys :many
SELECT k.key::text AS key FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@keys::text[]) AS key) AS k
WHERE NOT EXISTS (SELECT FROM thumbnails t WHERE t.document_id = k.id AND t.key = k.key);
