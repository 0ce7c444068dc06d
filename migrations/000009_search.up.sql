-- Search: the words of each description, beside it, and what waits to be read again (docs/adr/0003-search.md).

-- The words of every description that nobody rejected. Title A; codes, producers, tags and entities B; scope and content C; the rest D. Titles, codes
-- and names are there as they are written too, beside their stems.
CREATE TABLE document_search (
    document_id bigint   PRIMARY KEY, -- no foreign key, which would lock each description: index_documents and forget_words see to it
    words       tsvector NOT NULL
);
CREATE INDEX document_search_by_words ON document_search USING gin (words);

-- The descriptions whose words are not, or no longer, those of document_search. Writers append a row a statement and never wait for
-- each other; index_waiting takes rows away. A description may stand in it more than once.
CREATE TABLE search_backlog (
    document_ids bigint[] NOT NULL
);

-- plain_text is a text without accents, with the parts of codes, dates and compounds apart (OP-01/12 is three words, -1996 a year and no
-- negative number) and without mark-up, whose content the parser would skip, and short enough that the words of a description always fit into a tsvector. replace is several times faster than translate.
CREATE FUNCTION plain_text(value text, at_most integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(replace(replace(replace(public.unaccent('public.unaccent'::regdictionary, left(value, at_most)), '-', ' '), '/', ' '), '.', ' '), '<', ' ');

-- index_documents reads the words of these descriptions again.
CREATE FUNCTION index_documents(ids bigint[]) RETURNS void LANGUAGE sql AS $$
    DELETE FROM document_search s WHERE s.document_id = ANY (ids)
        AND NOT EXISTS (SELECT FROM documents d WHERE d.id = s.document_id AND d.review_status <> 'REJECTED');
    INSERT INTO document_search (document_id, words)
    SELECT d.id,
        setweight(to_tsvector('pg_catalog.portuguese', t.title), 'A') || setweight(to_tsvector('pg_catalog.simple', t.title), 'A')
        || setweight(to_tsvector('pg_catalog.simple', t.names), 'B') || setweight(to_tsvector('pg_catalog.portuguese', t.names), 'B')
        || setweight(to_tsvector('pg_catalog.portuguese', plain_text(coalesce(d.scope_content, ''), 60000)), 'C')
        || setweight(to_tsvector('pg_catalog.portuguese', concat_ws(' ', plain_text(d.date, 1000), plain_text(d.admin_bio_history, 30000), plain_text(d.provenance, 20000),
            plain_text(d.archivist_notes, 20000), plain_text(d.repository, 1000))), 'D')
    FROM documents d
    CROSS JOIN LATERAL (SELECT plain_text(d.original_title, 10000) AS title,
        plain_text(concat_ws(' ', left(d.reference_code, 1000), left(d.description_id, 1000), left(d.producers, 5000), left(k.tags, 10000), left(e.entities, 10000)), 30000) AS names
        FROM (SELECT string_agg(g.name, ' ; ') AS tags FROM document_tags l JOIN tags g ON g.id = l.tag_id WHERE l.document_id = d.id) k,
            (SELECT string_agg(g.name, ' ; ') AS entities FROM document_entities l JOIN entities g ON g.id = l.entity_id WHERE l.document_id = d.id) e) t
    WHERE d.id = ANY (ids) AND d.review_status <> 'REJECTED'
    ON CONFLICT (document_id) DO UPDATE SET words = excluded.words;
$$;

-- index_waiting reads about so many of the descriptions that wait, and returns how many it read: 0 when none waited. One does it at a time:
-- who comes second waits for the first, and then sees what it did.
CREATE FUNCTION index_waiting(at_most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    ids bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM search_backlog) THEN
        RETURN 0;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('scrinalia search', 0));
    WITH next_rows AS (
        SELECT b.place FROM (SELECT ctid AS place, sum(cardinality(document_ids)) OVER (ORDER BY ctid) AS so_far FROM search_backlog) b
        WHERE b.so_far <= at_most OR b.place = (SELECT min(ctid) FROM search_backlog)
    ), taken AS (
        DELETE FROM search_backlog WHERE ctid = ANY (ARRAY(SELECT place FROM next_rows)) RETURNING document_ids
    )
    SELECT ARRAY(SELECT DISTINCT unnest(document_ids) FROM taken) INTO ids;
    PERFORM index_documents(ids);
    RETURN cardinality(ids);
END $$;

-- wants_something is false of a query without words, or that only says what it does not want: everything else would answer it.
CREATE FUNCTION wants_something(query tsquery) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN querytree(query) NOT IN ('', 'T');

-- search_query turns what a person typed into what is looked for: by stems, or by the very words. Quotes, "or" and a leading minus mean what
-- they mean on the web; with a minus, stems alone decide. NULL, which nothing answers, where nothing is wanted. Each of the words may also stand as its variant of the same place: its plural or
-- singular, where stems do not tell.
CREATE FUNCTION search_query(typed text, words text[], variants text[]) RETURNS tsquery LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    plain text := replace(public.unaccent('public.unaccent'::regdictionary, typed), '<', ' ');
    stems tsquery := websearch_to_tsquery('pg_catalog.portuguese', plain);
    very_words tsquery := websearch_to_tsquery('pg_catalog.simple', plain);
    word tsquery;
    variant tsquery;
BEGIN
    FOR i IN 1..cardinality(words) LOOP
        word := plainto_tsquery('pg_catalog.portuguese', words[i]);
        variant := plainto_tsquery('pg_catalog.portuguese', variants[i]);
        IF numnode(word) = 1 AND numnode(variant) = 1 AND word <> variant THEN
            stems := ts_rewrite(stems, word, word || variant);
        END IF;
    END LOOP;
    RETURN CASE
        WHEN NOT wants_something(stems) AND NOT wants_something(very_words) THEN NULL
        WHEN NOT wants_something(stems) THEN very_words
        WHEN NOT wants_something(very_words) OR stems::text LIKE '%!%' THEN stems
        ELSE stems || very_words END;
END $$;

-- search_terms are the words that a query wants, whatever the operators between them: what is marked in the texts that it found.
CREATE FUNCTION search_terms(query tsquery) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN wants_something(query) THEN regexp_replace(querytree(query), '&|<(-|[0-9]+)>', '|', 'g')::tsquery END;

-- What appends to the backlog.

CREATE FUNCTION words_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO search_backlog
        SELECT array_agg(n.id) FROM (SELECT id, (row_number() OVER () - 1) / 1000 AS part FROM new_rows) n GROUP BY n.part;
    ELSE
        INSERT INTO search_backlog
        SELECT array_agg(c.id) FROM (
            SELECT n.id, (row_number() OVER () - 1) / 1000 AS part FROM new_rows n JOIN old_rows o USING (id)
            WHERE (n.original_title, n.reference_code, n.description_id, n.date, n.repository, n.producers, n.admin_bio_history, n.provenance, n.scope_content,
                    n.archivist_notes, n.review_status = 'REJECTED')
                IS DISTINCT FROM (o.original_title, o.reference_code, o.description_id, o.date, o.repository, o.producers, o.admin_bio_history, o.provenance, o.scope_content,
                    o.archivist_notes, o.review_status = 'REJECTED')) c
        GROUP BY c.part;
        -- whoever holds vectors in memory asks for those that changed
        UPDATE document_vectors v SET changed_in = pg_current_xact_id()
        FROM new_rows n JOIN old_rows o USING (id)
        WHERE v.document_id = n.id AND (n.review_status = 'REJECTED') <> (o.review_status = 'REJECTED');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER words_changed_insert AFTER INSERT ON documents REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION words_changed();
CREATE TRIGGER words_changed_update AFTER UPDATE ON documents REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION words_changed();

CREATE FUNCTION forget_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM document_search s USING old_rows o WHERE s.document_id = o.id;
    RETURN NULL;
END $$;
CREATE TRIGGER forget_words AFTER DELETE ON documents REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION forget_words();

-- Links of the source come and go with their description, in one transaction, which puts it into the backlog anyhow.
CREATE FUNCTION link_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_backlog VALUES (ARRAY[CASE TG_OP WHEN 'DELETE' THEN OLD.document_id ELSE NEW.document_id END]);
    RETURN NULL;
END $$;
CREATE TRIGGER link_changed_tags_insert AFTER INSERT ON document_tags FOR EACH ROW WHEN (NEW.origin <> 'source') EXECUTE FUNCTION link_changed();
CREATE TRIGGER link_changed_tags_delete AFTER DELETE ON document_tags FOR EACH ROW WHEN (OLD.origin <> 'source') EXECUTE FUNCTION link_changed();

CREATE FUNCTION links_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_backlog
    SELECT array_agg(c.document_id) FROM (
        SELECT d.document_id, (row_number() OVER () - 1) / 1000 AS part FROM (SELECT DISTINCT document_id FROM changed_rows) d) c
    GROUP BY c.part;
    RETURN NULL;
END $$;
CREATE TRIGGER links_changed_entities_insert AFTER INSERT ON document_entities REFERENCING NEW TABLE AS changed_rows
    FOR EACH STATEMENT EXECUTE FUNCTION links_changed();
CREATE TRIGGER links_changed_entities_delete AFTER DELETE ON document_entities REFERENCING OLD TABLE AS changed_rows
    FOR EACH STATEMENT EXECUTE FUNCTION links_changed();

-- What was there before.
INSERT INTO search_backlog
SELECT array_agg(d.id) FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / 1000 AS part FROM documents) d GROUP BY d.part;
