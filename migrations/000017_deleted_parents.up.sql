-- When a description is deleted, those below it become orphans, with paths that no longer lead through it; the record that brings it back adopts
-- them again.
CREATE FUNCTION leave_deleted_parents() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gone bigint[] := ARRAY(SELECT id FROM old_rows);
BEGIN
    UPDATE document_hierarchy h SET ancestors = h.ancestors[c.last + 1:], orphan = h.orphan OR h.parent_id IS NULL
    FROM (
        SELECT below.document_id, max(a.place) AS last
        FROM document_hierarchy below, unnest(below.ancestors) WITH ORDINALITY AS a (id, place)
        WHERE below.ancestors && gone AND a.id = ANY (gone)
        GROUP BY below.document_id
    ) AS c
    WHERE h.document_id = c.document_id;
    RETURN NULL;
END $$;
CREATE TRIGGER leave_deleted_parents AFTER DELETE ON documents REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION leave_deleted_parents();
