-- What transfer is made of: terms out of access points, parents out of what a description declares, paths.

-- staging_tags: the terms of the access points of these staging records: subjects, places and genres split on |, comma and
-- semicolon, names (which may be inverted: "Ferreira, João") on | and semicolon; trimmed, lower case, 3 to 100 characters,
-- synonyms resolved, stopwords dropped, duplicates folded.
CREATE FUNCTION staging_tags(ids bigint[]) RETURNS TABLE (record_id bigint, name text, folded text)
    LANGUAGE sql STABLE
AS $$
    WITH raw AS (
        SELECT s.id, v.value, v.separator
        FROM staging_records s
        CROSS JOIN LATERAL (
            SELECT unnest(s.subjects || s.places || s.genres), '[|,;]'
            UNION ALL SELECT unnest(s.names), '[|;]') AS v (value, separator)
        WHERE s.id = ANY (ids)
    ), terms AS (
        SELECT DISTINCT r.id, lower(clean_text(p.part)) AS name
        FROM raw r CROSS JOIN LATERAL regexp_split_to_table(r.value, r.separator) AS p (part)
        WHERE char_length(clean_text(p.part)) BETWEEN 3 AND 100
    ), folded AS (
        SELECT t.id, coalesce(lower(y.canonical), t.name) AS name, coalesce(fold(y.canonical), f.folded) AS folded
        FROM terms t CROSS JOIN LATERAL (SELECT fold(t.name) AS folded) f
        LEFT JOIN LATERAL (SELECT canonical FROM synonyms y WHERE fold(y.term) = f.folded AND y.scope IN ('TAG', 'ALL') AND y.retired_at IS NULL
            ORDER BY y.scope DESC LIMIT 1) y ON true
    )
    SELECT f.id, min(f.name), f.folded FROM folded f
    WHERE f.folded IS NOT NULL AND NOT EXISTS (SELECT FROM stopwords w WHERE fold(w.term) = f.folded AND w.scope IN ('TAG', 'ALL') AND w.retired_at IS NULL)
    GROUP BY f.id, f.folded
$$;

-- declared_parent: the description that another declares as its parent, by reference code, else by the source's id.
CREATE FUNCTION declared_parent(document bigint, reference text, source_id text) RETURNS bigint
    LANGUAGE sql STABLE
AS $$
    SELECT coalesce(
        (SELECT min(p.id) FROM documents p WHERE p.reference_code = reference AND p.id <> document),
        (SELECT p.id FROM documents p WHERE p.description_id = source_id AND p.id <> document))
$$;

-- refresh_ancestors renews the paths of these documents and of everything below them, level by level. A circle is cut where it closes:
-- its members become orphans.
CREATE FUNCTION refresh_ancestors(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    todo bigint[] := ids;
BEGIN
    -- cut circles: a document that is reached again from itself loses its parent
    WITH RECURSIVE up (document_id, ancestor, depth) AS (
        SELECT h.document_id, h.parent_id, 1 FROM document_hierarchy h WHERE h.document_id = ANY (ids) AND h.parent_id IS NOT NULL
        UNION ALL
        SELECT u.document_id, h.parent_id, u.depth + 1 FROM up u JOIN document_hierarchy h ON h.document_id = u.ancestor
        WHERE h.parent_id IS NOT NULL AND u.ancestor <> u.document_id AND u.depth < 64
    )
    UPDATE document_hierarchy h SET parent_id = NULL, orphan = true, ancestors = '{}'
    FROM (SELECT DISTINCT document_id FROM up WHERE ancestor = document_id OR depth = 64) c
    WHERE h.document_id = c.document_id;

    WHILE todo <> '{}' LOOP
        WITH renewed AS (
            UPDATE document_hierarchy h
            SET ancestors = CASE WHEN p.document_id IS NULL THEN '{}' ELSE p.ancestors || p.document_id END
            FROM document_hierarchy c LEFT JOIN document_hierarchy p ON p.document_id = c.parent_id
            WHERE h.document_id = c.document_id AND c.document_id = ANY (todo)
                AND h.ancestors IS DISTINCT FROM CASE WHEN p.document_id IS NULL THEN '{}' ELSE p.ancestors || p.document_id END
            RETURNING h.document_id
        )
        SELECT ARRAY(SELECT c.document_id FROM renewed r JOIN document_hierarchy c ON c.parent_id = r.document_id) INTO todo;
    END LOOP;
END $$;
