-- What 000001 and 000007 had.

CREATE OR REPLACE FUNCTION clean_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(btrim(regexp_replace(value, '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')), '');

CREATE OR REPLACE FUNCTION tag_staging(ids bigint[]) RETURNS TABLE (linked bigint, unlinked bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    made bigint;
    gone bigint;
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS transfer_terms (document_id bigint, folded text, name text) ON COMMIT DELETE ROWS;
    DELETE FROM pg_temp.transfer_terms;
    WITH points AS MATERIALIZED (
        SELECT s.id, v.value, v.separators FROM staging_records s
        CROSS JOIN LATERAL (SELECT unnest(s.subjects || s.places || s.genres), '[|,;]' UNION ALL SELECT unnest(s.names), '[|;]') AS v (value, separators)
        WHERE s.id = ANY (ids)
    ), known AS MATERIALIZED (
        SELECT d.value, d.separators, t.name, t.folded
        FROM (SELECT DISTINCT value, separators FROM points) d CROSS JOIN LATERAL access_point_terms(d.value, d.separators) t
    )
    INSERT INTO pg_temp.transfer_terms SELECT p.id, k.folded, min(k.name)
    FROM points p JOIN known k USING (value, separators) GROUP BY p.id, k.folded;

    INSERT INTO tags (name)
    SELECT min(t.name) FROM pg_temp.transfer_terms t WHERE NOT EXISTS (SELECT FROM tags k WHERE k.folded = t.folded)
    GROUP BY t.folded ORDER BY t.folded
    ON CONFLICT (folded) DO NOTHING;

    DELETE FROM document_tags dt
    WHERE dt.document_id = ANY (ids) AND dt.origin = 'source'
        AND NOT EXISTS (SELECT FROM pg_temp.transfer_terms t JOIN tags k ON k.folded = t.folded WHERE t.document_id = dt.document_id AND k.id = dt.tag_id);
    GET DIAGNOSTICS gone = ROW_COUNT;

    INSERT INTO document_tags (document_id, tag_id, origin)
    SELECT t.document_id, k.id, 'source' FROM pg_temp.transfer_terms t JOIN tags k ON k.folded = t.folded
    ORDER BY 1, 2
    ON CONFLICT (document_id, tag_id) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    RETURN QUERY SELECT made, gone;
END $$;

DROP FUNCTION access_points(bigint[]);

CREATE OR REPLACE FUNCTION place_documents(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    moved bigint[];
    placed bigint;
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS transfer_places (document_id bigint PRIMARY KEY, parent_id bigint, declared boolean) ON COMMIT DELETE ROWS;
    DELETE FROM pg_temp.transfer_places;
    INSERT INTO pg_temp.transfer_places SELECT document_id, parent_id, declared FROM declared_parents(ids);

    WITH changed AS (
        UPDATE document_hierarchy h SET parent_id = p.parent_id, orphan = p.parent_id IS NULL AND p.declared
        FROM pg_temp.transfer_places p
        WHERE h.document_id = p.document_id AND (h.parent_id, h.orphan) IS DISTINCT FROM (p.parent_id, p.parent_id IS NULL AND p.declared)
        RETURNING h.document_id
    )
    SELECT ARRAY(SELECT document_id FROM changed) INTO moved;
    DELETE FROM pg_temp.transfer_places p USING document_hierarchy h WHERE h.document_id = p.document_id;

    LOOP
        WITH ready AS (
            DELETE FROM pg_temp.transfer_places p
            WHERE p.parent_id IS NULL OR EXISTS (SELECT FROM document_hierarchy h WHERE h.document_id = p.parent_id)
            RETURNING p.document_id, p.parent_id, p.declared
        )
        INSERT INTO document_hierarchy (document_id, parent_id, orphan, ancestors)
        SELECT r.document_id, r.parent_id, r.parent_id IS NULL AND r.declared,
            CASE WHEN r.parent_id IS NULL THEN '{}' ELSE h.ancestors || r.parent_id END
        FROM ready r LEFT JOIN document_hierarchy h ON h.document_id = r.parent_id;
        GET DIAGNOSTICS placed = ROW_COUNT;
        EXIT WHEN placed = 0;
    END LOOP;
    INSERT INTO document_hierarchy (document_id, orphan) SELECT document_id, true FROM pg_temp.transfer_places;

    IF moved <> '{}' THEN
        PERFORM refresh_ancestors(moved);
    END IF;
END $$;
