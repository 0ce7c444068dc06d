-- Transfer at a quarter of a bare COPY's speed or more: docs/performance.md has the figures.

-- Most texts are clean, and one look says so: to look is an order of magnitude cheaper than to replace every space by itself.
CREATE OR REPLACE FUNCTION clean_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(CASE WHEN value ~ '[\u0009-\u000d\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|  |^ | $'
    THEN btrim(regexp_replace(value, '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
    ELSE value END, '');

-- access_points: what the source gives to look these descriptions up by, as it stands between the separators: subjects, places and genres are
-- split on |, comma and semicolon; names, which may be inverted ("Ferreira, João"), on | and semicolon.
CREATE FUNCTION access_points(ids bigint[]) RETURNS TABLE (document_id bigint, point text)
    LANGUAGE sql STABLE ROWS 10000
AS $$
    SELECT s.id, unnest(string_to_array(concat_ws('|', translate(array_to_string(s.subjects || s.places || s.genres, '|'), ',;', '||'),
        translate(array_to_string(s.names, '|'), ';', '|')), '|'))
    FROM staging_records s WHERE s.id = ANY (ids)
$$;

-- tag_staging links the descriptions of these staging records with the terms of their access points: trimmed, lower case, 3 to 100 characters,
-- synonyms resolved to the canonical tag, stopwords dropped. Links that only the source made and no longer has go; links that a person or
-- a run made stay. It says of a whole batch what access_point_terms says of one access point: each distinct term is cleaned and folded once.
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

-- place_documents gives these descriptions their declared parents and paths. New ones go in together, each with its path; what nothing of its
-- kind stands above waits as an orphan, and so does a circle. Ones that moved take everything below them along.
CREATE OR REPLACE FUNCTION place_documents(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    moved bigint[];
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS transfer_places (document_id bigint, parent_id bigint, declared boolean) ON COMMIT DELETE ROWS;
    DELETE FROM pg_temp.transfer_places;
    INSERT INTO pg_temp.transfer_places SELECT document_id, parent_id, declared FROM declared_parents(ids);

    WITH changed AS (
        UPDATE document_hierarchy h SET parent_id = p.parent_id, orphan = p.parent_id IS NULL AND p.declared
        FROM pg_temp.transfer_places p
        WHERE h.document_id = ANY (ids) AND h.document_id = p.document_id
            AND (h.parent_id, h.orphan) IS DISTINCT FROM (p.parent_id, p.parent_id IS NULL AND p.declared)
        RETURNING h.document_id
    )
    SELECT ARRAY(SELECT document_id FROM changed) INTO moved;

    WITH RECURSIVE fresh AS MATERIALIZED (
        SELECT p.document_id, p.parent_id, p.declared FROM pg_temp.transfer_places p
        WHERE NOT EXISTS (SELECT FROM document_hierarchy h WHERE h.document_id = ANY (ids) AND h.document_id = p.document_id)
    ), ready (document_id, parent_id, ancestors) AS (
        SELECT f.document_id, f.parent_id, CASE WHEN f.parent_id IS NULL THEN '{}' ELSE h.ancestors || f.parent_id END
        FROM fresh f LEFT JOIN document_hierarchy h ON h.document_id = f.parent_id
        WHERE f.parent_id IS NULL OR h.document_id IS NOT NULL
        UNION ALL
        SELECT f.document_id, f.parent_id, r.ancestors || f.parent_id FROM ready r JOIN fresh f ON f.parent_id = r.document_id
    )
    INSERT INTO document_hierarchy (document_id, parent_id, orphan, ancestors)
    SELECT f.document_id, r.parent_id, r.parent_id IS NULL AND f.declared, coalesce(r.ancestors, '{}')
    FROM fresh f LEFT JOIN ready r ON r.document_id = f.document_id;

    IF moved <> '{}' THEN
        PERFORM refresh_ancestors(moved);
    END IF;
END $$;
