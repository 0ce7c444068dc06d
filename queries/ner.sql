-- ClaimNER returns the next documents with the text that ner reads.
-- name: ClaimNER :many
SELECT q.unit_id, coalesce(d.reference_code, d.description_id)::text AS unit_name, composed_text(d, @columns::text[])::text AS value
FROM (SELECT unit_id FROM ner_queue WHERE unit_id > @after AND (pending OR @force::boolean) ORDER BY unit_id LIMIT @max_rows) q
JOIN documents d ON d.id = q.unit_id
ORDER BY q.unit_id;

-- LockGoverned locks documents that no human decided on, with the fingerprint of the text in these columns.
-- name: LockGoverned :many
SELECT d.id, input_hash(composed_text(d, @columns::text[]))::bytea AS fingerprint FROM documents d
WHERE d.id = ANY (@ids::bigint[]) AND NOT human_decided(d.review_status) ORDER BY d.id FOR UPDATE;

-- ChooseEntities cleans the names that a run found: synonyms are resolved, stopwords and exclusions dropped (a whole name, or a name with an
-- excluded word) and so are links that a person removed, 3 to 149 characters kept, one a document, folded name and type.
-- name: ChooseEntities :many
WITH banned AS MATERIALIZED (
    SELECT fold(term) AS term, false AS word FROM stopwords WHERE scope IN ('ENTITY', 'ALL') AND retired_at IS NULL
    UNION ALL
    SELECT fold(term), true FROM exclusions WHERE kind = 'NER' AND retired_at IS NULL
), found AS MATERIALIZED (
    SELECT u.document_id, u.name, u.type, u.score, fold(u.name) AS folded
    FROM (SELECT unnest(@documents::bigint[]) AS document_id, clean_text(unnest(@names::text[])) AS name, unnest(@types::text[]) AS type,
        unnest(@scores::real[]) AS score) AS u
), named AS MATERIALIZED (
    SELECT f.document_id, coalesce(s.canonical, f.name) AS name, f.type, CASE WHEN s.id IS NULL THEN f.folded ELSE fold(s.canonical) END AS folded, f.score
    FROM found f
    LEFT JOIN (SELECT id, canonical, fold(term) AS folded FROM synonyms WHERE scope IN ('ENTITY', 'ALL') AND retired_at IS NULL) s ON s.folded = f.folded
)
SELECT DISTINCT ON (n.document_id, n.folded, n.type) n.document_id::bigint AS document_id, n.name::text AS name, n.type::text AS type,
    n.folded::text AS folded, n.score::real AS score
FROM named n
WHERE char_length(n.name) BETWEEN 3 AND 149
    AND NOT EXISTS (SELECT FROM banned b WHERE b.term = n.folded)
    AND NOT EXISTS (SELECT FROM banned b WHERE b.word AND b.term = ANY (regexp_split_to_array(n.folded, '[^[:alnum:]]+')))
    AND NOT EXISTS (SELECT FROM refused_links r WHERE r.document_id = n.document_id AND r.kind = n.type AND r.folded = n.folded)
ORDER BY n.document_id, n.folded, n.type, n.score DESC;

-- AddEntities adds the entities that are not there yet; the first spelling is kept for display.
-- name: AddEntities :exec
INSERT INTO entities (name, type)
SELECT u.name, u.type FROM (SELECT unnest(@names::text[]) AS name, unnest(@types::text[]) AS type) AS u
ORDER BY fold(u.name), u.type, u.name
ON CONFLICT DO NOTHING;

-- UnlinkEntities removes the links of ner's runs that this run did not find again; those that conflict-judge made stay.
-- name: UnlinkEntities :many
DELETE FROM document_entities l USING entities e, archive_worker_runs r
WHERE l.document_id = ANY (@documents::bigint[]) AND l.origin = 'run' AND e.id = l.entity_id AND r.id = l.run_id AND r.worker_name = 'ner'
    AND NOT EXISTS (SELECT FROM (SELECT unnest(@kept_documents::bigint[]) AS document_id, unnest(@kept_folded::text[]) AS folded,
            unnest(@kept_types::text[]) AS type) AS k
        WHERE k.document_id = l.document_id AND k.folded = e.folded AND k.type = e.type)
RETURNING l.entity_id;

-- RenewEntityLinks gives the links of ner's runs that were found again this run and its score.
-- name: RenewEntityLinks :exec
UPDATE document_entities l SET run_id = @run_id::bigint, score = k.score
FROM (SELECT unnest(@documents::bigint[]) AS document_id, unnest(@folded::text[]) AS folded, unnest(@types::text[]) AS type,
    unnest(@scores::real[]) AS score) AS k
JOIN entities e ON e.folded = k.folded AND e.type = k.type
WHERE l.document_id = k.document_id AND l.entity_id = e.id AND l.origin = 'run'
    AND EXISTS (SELECT FROM archive_worker_runs r WHERE r.id = l.run_id AND r.worker_name = 'ner');

-- LinkEntities links documents with the entities that were found in them; links that are there stay as they are.
-- name: LinkEntities :execrows
INSERT INTO document_entities (document_id, entity_id, origin, run_id, score)
SELECT k.document_id, e.id, 'run', @run_id::bigint, k.score
FROM (SELECT unnest(@documents::bigint[]) AS document_id, unnest(@folded::text[]) AS folded, unnest(@types::text[]) AS type,
    unnest(@scores::real[]) AS score) AS k
JOIN entities e ON e.folded = k.folded AND e.type = k.type
ORDER BY k.document_id, e.id
ON CONFLICT DO NOTHING;

-- DropLooseEntities removes those of these entities that nothing points to any more.
-- name: DropLooseEntities :exec
DELETE FROM entities e WHERE e.id = ANY (@ids::bigint[])
    AND NOT EXISTS (SELECT FROM document_entities l WHERE l.entity_id = e.id)
    AND NOT EXISTS (SELECT FROM review_queue q WHERE q.entity_id = e.id);
