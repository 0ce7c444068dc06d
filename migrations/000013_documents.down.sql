DROP INDEX documents_by_status;
DROP INDEX documents_by_typology;
DROP INDEX documents_by_reason;
DROP INDEX documents_with_anomalies;
DROP INDEX documents_by_level;
DROP INDEX execution_log_by_run;
DROP INDEX review_queue_open;
DROP INDEX review_queue_decided;
DROP VIEW document_queues;
DROP TABLE document_revisions;
DROP FUNCTION document_revisions_are_final();

CREATE OR REPLACE FUNCTION tag_staging(ids bigint[]) RETURNS TABLE (linked bigint, unlinked bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    made bigint;
    gone bigint;
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS transfer_points (point text, folded text, name text) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE IF NOT EXISTS transfer_links (document_id bigint, tag_id bigint) ON COMMIT DELETE ROWS;
    DELETE FROM pg_temp.transfer_points;
    DELETE FROM pg_temp.transfer_links;

    WITH points AS MATERIALIZED (
        SELECT p.point, lower(clean_text(p.point)) AS name FROM (SELECT DISTINCT point FROM access_points(ids)) p
    ), terms AS MATERIALIZED (
        SELECT p.point, p.name, fold(p.name) AS folded FROM points p WHERE char_length(p.name) BETWEEN 3 AND 100
    ), synonym AS MATERIALIZED (
        SELECT DISTINCT ON (fold(y.term)) fold(y.term) AS folded, lower(y.canonical) AS canonical, fold(y.canonical) AS canonical_folded
        FROM synonyms y WHERE y.scope IN ('TAG', 'ALL') AND y.retired_at IS NULL ORDER BY fold(y.term), y.scope DESC
    ), resolved AS MATERIALIZED (
        SELECT t.point, coalesce(y.canonical, t.name) AS name, coalesce(y.canonical_folded, t.folded) AS folded
        FROM terms t LEFT JOIN synonym y ON y.folded = t.folded
    ), dropped AS MATERIALIZED (
        SELECT fold(w.term) AS folded FROM stopwords w WHERE w.scope IN ('TAG', 'ALL') AND w.retired_at IS NULL
    )
    INSERT INTO pg_temp.transfer_points
    SELECT r.point, r.folded, r.name FROM resolved r
    WHERE r.folded IS NOT NULL AND NOT EXISTS (SELECT FROM dropped w WHERE w.folded = r.folded);

    INSERT INTO tags (name)
    SELECT min(t.name) FROM pg_temp.transfer_points t WHERE NOT EXISTS (SELECT FROM tags k WHERE k.folded = t.folded)
    GROUP BY t.folded ORDER BY t.folded
    ON CONFLICT (folded) DO NOTHING;

    INSERT INTO pg_temp.transfer_links
    SELECT DISTINCT p.document_id, t.tag_id
    FROM access_points(ids) p
    JOIN (SELECT t.point, k.id AS tag_id FROM pg_temp.transfer_points t JOIN tags k ON k.folded = t.folded) t ON t.point = p.point
    ORDER BY 1, 2;

    DELETE FROM document_tags dt
    WHERE dt.document_id = ANY (ids) AND dt.origin = 'source'
        AND NOT EXISTS (SELECT FROM pg_temp.transfer_links l WHERE l.document_id = dt.document_id AND l.tag_id = dt.tag_id);
    GET DIAGNOSTICS gone = ROW_COUNT;

    INSERT INTO document_tags (document_id, tag_id, origin)
    SELECT l.document_id, l.tag_id, 'source' FROM pg_temp.transfer_links l
    ON CONFLICT (document_id, tag_id) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    RETURN QUERY SELECT made, gone;
END $$;

DROP TABLE refused_links;
