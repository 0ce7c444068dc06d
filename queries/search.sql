-- IndexWaiting reads the words of about so many descriptions that wait for it, and returns how many it read.
-- name: IndexWaiting :one
SELECT index_waiting(sqlc.arg(at_most)::integer)::integer AS indexed;

-- CountWaiting says how many descriptions wait for their words to be read; one may count more than once.
-- name: CountWaiting :one
SELECT coalesce(sum(cardinality(document_ids)), 0)::bigint AS waiting FROM search_backlog;

-- FindWords returns the descriptions that have the words, the best first: what has the typed code is first, words of a title weigh most, and long
-- texts do not win by length. The query stands in scalar subqueries, so that it is made once and not for every row.
-- name: FindWords :many
SELECT s.document_id, (ts_rank('{0.1, 0.2, 0.4, 1.0}'::real[], s.words, (SELECT search_query(sqlc.arg(typed), sqlc.arg(words)::text[], sqlc.arg(variants)::text[])), 1)
    + CASE WHEN s.document_id = ANY (ARRAY(SELECT d.id FROM documents d WHERE d.reference_code = sqlc.arg(code)::text
        UNION ALL SELECT d.id FROM documents d WHERE d.description_id = sqlc.arg(code)::text)) THEN 1 ELSE 0 END)::real AS score
FROM document_search s
WHERE s.words @@ (SELECT search_query(sqlc.arg(typed), sqlc.arg(words)::text[], sqlc.arg(variants)::text[]))
ORDER BY score DESC, s.document_id
LIMIT sqlc.arg(at_most);

-- SearchedTexts returns what is shown of the descriptions found.
-- name: SearchedTexts :many
SELECT d.id, d.description_id, coalesce(d.reference_code, '')::text AS reference_code, coalesce(l.name, '')::text AS level, d.original_title AS title,
    coalesce(d.date, '')::text AS date, coalesce(left(d.scope_content, sqlc.arg(at_most)::integer), '')::text AS scope_content,
    coalesce(left(d.admin_bio_history, sqlc.arg(at_most)::integer), '')::text AS admin_bio_history,
    coalesce(left(d.provenance, sqlc.arg(at_most)::integer), '')::text AS provenance, coalesce(left(d.archivist_notes, sqlc.arg(at_most)::integer), '')::text AS archivist_notes
FROM documents d LEFT JOIN levels l ON l.id = d.level_id
WHERE d.id = ANY (sqlc.arg(ids)::bigint[]) AND d.review_status <> 'REJECTED';

-- WantedWords returns those of the words that the query is about.
-- name: WantedWords :many
SELECT w.word::text AS word
FROM (SELECT unnest(sqlc.arg(seen)::text[]) AS word) w
WHERE (to_tsvector('pg_catalog.portuguese', plain_text(w.word, 100)) || to_tsvector('pg_catalog.simple', plain_text(w.word, 100)))
    @@ (SELECT search_terms(search_query(sqlc.arg(typed), sqlc.arg(words)::text[], sqlc.arg(variants)::text[])));

-- CountSearchable says how many descriptions there are that nobody rejected.
-- name: CountSearchable :one
SELECT coalesce(sum(CASE measure WHEN 'rejected' THEN -n ELSE n END), 0)::bigint AS documents
FROM queue_tally WHERE worker_name = '' AND measure IN ('governed', 'decided', 'rejected');

-- VectorHorizon is the oldest transaction that may still write: what was changed in an older one is there to be seen, now or never.
-- name: VectorHorizon :one
SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon;

-- ListVectors returns the vectors of a model that changed in this transaction or a later one, in the order of their documents.
-- name: ListVectors :many
SELECT v.document_id, v.vector, (d.review_status = 'REJECTED')::boolean AS rejected
FROM document_vectors v JOIN documents d ON d.id = v.document_id
WHERE v.model = sqlc.arg(model) AND v.changed_in >= sqlc.arg(since)::text::xid8 AND v.document_id > sqlc.arg(after)::bigint
ORDER BY v.document_id
LIMIT sqlc.arg(at_most);

-- FetchVectors returns the vectors of a model for these documents, without those of rejected ones.
-- name: FetchVectors :many
SELECT v.document_id, v.vector FROM document_vectors v JOIN documents d ON d.id = v.document_id
WHERE v.model = sqlc.arg(model) AND v.document_id = ANY (sqlc.arg(ids)::bigint[]) AND v.vector IS NOT NULL AND d.review_status <> 'REJECTED';

-- OtherModel names a model that there are vectors of, beside this one.
-- name: OtherModel :one
SELECT v.model FROM document_vectors v WHERE v.model <> sqlc.arg(model) AND v.vector IS NOT NULL LIMIT 1;
