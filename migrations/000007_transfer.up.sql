-- What transfer is made of: terms out of access points, parents out of what a description declares, paths.

-- access_point_terms: the terms of one access point: split on the separators, trimmed, lower case, 3 to 100 characters, synonyms resolved to
-- the canonical tag, stopwords dropped.
CREATE FUNCTION access_point_terms(value text, separators text) RETURNS TABLE (name text, folded text)
    LANGUAGE sql STABLE
AS $$
    WITH terms AS (
        SELECT DISTINCT t.name, fold(t.name) AS folded
        FROM (SELECT lower(clean_text(p.part)) FROM regexp_split_to_table(value, separators) AS p (part)) AS t (name)
        WHERE char_length(t.name) BETWEEN 3 AND 100
    ), resolved AS (
        SELECT coalesce(lower(y.canonical), t.name) AS name, coalesce(fold(y.canonical), t.folded) AS folded
        FROM terms t
        LEFT JOIN LATERAL (SELECT y.canonical FROM synonyms y WHERE fold(y.term) = t.folded AND y.scope IN ('TAG', 'ALL') AND y.retired_at IS NULL
            ORDER BY y.scope DESC LIMIT 1) y ON true
    )
    SELECT min(r.name), r.folded FROM resolved r
    WHERE r.folded IS NOT NULL
        AND NOT EXISTS (SELECT FROM stopwords w WHERE fold(w.term) = r.folded AND w.scope IN ('TAG', 'ALL') AND w.retired_at IS NULL)
    GROUP BY r.folded
$$;

-- tag_staging links the descriptions of these staging records with the terms of their access points: subjects, places and genres split on
-- |, comma and semicolon; names, which may be inverted ("Ferreira, João"), on | and semicolon. Links that only the source made and
-- no longer has go; links that a person or a run made stay. Each distinct access point is read once.
CREATE FUNCTION tag_staging(ids bigint[]) RETURNS TABLE (linked bigint, unlinked bigint) LANGUAGE plpgsql AS $$
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

-- declared_parents: the parents that these descriptions declare: by reference code, else by the source's id. The oldest description wins
-- where a reference code is used twice. Nothing is its own parent.
CREATE FUNCTION declared_parents(ids bigint[]) RETURNS TABLE (document_id bigint, parent_id bigint, declared boolean)
    LANGUAGE sql STABLE
AS $$
    WITH children AS MATERIALIZED (
        SELECT d.id, d.parent_reference_code, d.parent_description_id FROM documents d WHERE d.id = ANY (ids)
    ), codes AS MATERIALIZED (
        SELECT c.parent_reference_code AS code, (SELECT min(p.id) FROM documents p WHERE p.reference_code = c.parent_reference_code) AS id
        FROM (SELECT DISTINCT parent_reference_code FROM children WHERE parent_reference_code IS NOT NULL) c
    )
    SELECT c.id, coalesce(nullif(r.id, c.id), nullif(i.id, c.id)), c.parent_reference_code IS NOT NULL OR c.parent_description_id IS NOT NULL
    FROM children c
    LEFT JOIN codes r ON r.code = c.parent_reference_code
    LEFT JOIN documents i ON i.description_id = c.parent_description_id
$$;

-- place_documents gives these descriptions their declared parents and paths. New ones go in level by level, each with its path; what is left is
-- a circle, or has none of its kind above it, and waits as an orphan. Ones that moved take everything below them along.
CREATE FUNCTION place_documents(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
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

-- refresh_ancestors renews the paths of these documents and of everything below them. A circle is cut: its members become orphans.
CREATE FUNCTION refresh_ancestors(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    branch bigint[];
BEGIN
    WITH RECURSIVE down (id) AS (
        SELECT unnest(ids)
        UNION
        SELECT h.document_id FROM down d JOIN document_hierarchy h ON h.parent_id = d.id
    )
    SELECT ARRAY(SELECT id FROM down) INTO branch;

    WITH RECURSIVE up (document_id, top, path, circle) AS (
        SELECT h.document_id, h.parent_id, ARRAY[h.parent_id], false FROM document_hierarchy h
        WHERE h.document_id = ANY (branch) AND h.parent_id IS NOT NULL
        UNION ALL
        SELECT u.document_id, h.parent_id, h.parent_id || u.path, h.parent_id = u.document_id OR h.parent_id = ANY (u.path)
        FROM up u JOIN document_hierarchy h ON h.document_id = u.top
        WHERE h.parent_id IS NOT NULL AND NOT u.circle
    ), whole AS (
        SELECT DISTINCT ON (document_id) document_id, path, circle FROM up ORDER BY document_id, cardinality(path) DESC
    ), right_paths AS (
        SELECT b.id AS document_id, coalesce(w.circle, false) AS circle, CASE WHEN w.path IS NULL OR w.circle THEN '{}'::bigint[] ELSE w.path END AS path
        FROM unnest(branch) AS b (id) LEFT JOIN whole w ON w.document_id = b.id
    )
    UPDATE document_hierarchy h
    SET ancestors = r.path, parent_id = CASE WHEN r.circle THEN NULL ELSE h.parent_id END, orphan = h.orphan OR r.circle
    FROM right_paths r
    WHERE h.document_id = r.document_id AND (h.ancestors IS DISTINCT FROM r.path OR r.circle);
END $$;
