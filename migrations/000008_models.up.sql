-- What the workers with a model read and leave: composed texts, scores, vectors, and their queues.

-- exclusions: names that ner must not keep (NER), terms that are no subject (SUBJECT), and the people that the collection is about
-- (COLLECTION), who stand in nearly every description and are no subject either.
ALTER TABLE exclusions DROP CONSTRAINT exclusions_kind_is_known;
ALTER TABLE exclusions ADD CONSTRAINT exclusions_kind_is_known CHECK (kind IN ('NER', 'SUBJECT', 'COLLECTION'));

-- Outcomes of a stamp. DONE: read, and read again when the unit changes; SETTLED: the unit got what it waited for and left the queue for
-- good; FAILED: see error.
ALTER TABLE execution_log DROP CONSTRAINT execution_log_outcome_is_known;
ALTER TABLE execution_log ADD CONSTRAINT execution_log_outcome_is_known CHECK (outcome IN ('DONE', 'SETTLED', 'FAILED'));

-- composed_text is the one text that models read, that is hashed and that is counted: the named columns in this order, cleaned, without
-- the empty ones, a line each.
CREATE FUNCTION composed_text(d documents, columns text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN concat_ws(E'\n',
    CASE WHEN 'original_title' = ANY (columns) THEN clean_text(d.original_title) END,
    CASE WHEN 'scope_content' = ANY (columns) THEN clean_text(d.scope_content) END,
    CASE WHEN 'admin_bio_history' = ANY (columns) THEN clean_text(d.admin_bio_history) END,
    CASE WHEN 'provenance' = ANY (columns) THEN clean_text(d.provenance) END);

-- text_columns are the columns that a run read: its option, or all of them for a worker without that option.
CREATE FUNCTION text_columns(config jsonb) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN jsonb_typeof(config #> '{options,columns,value}') = 'array'
    THEN ARRAY(SELECT jsonb_array_elements_text(config #> '{options,columns,value}'))
    ELSE ARRAY['original_title', 'scope_content', 'admin_bio_history', 'provenance'] END;

-- Who chose: a typology or a subject category without a person is a run's, which the scores name.
ALTER TABLE documents ADD COLUMN typology_person text;
ALTER TABLE tags ADD COLUMN category_person text;
ALTER TABLE document_entities ADD COLUMN score real
    CONSTRAINT document_entities_score_is_a_share CHECK (score BETWEEN 0 AND 1);

-- The best typology that a run saw, also when its score was too low to be set.
CREATE TABLE typology_scores (
    document_id bigint  PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    typology_id integer REFERENCES typologies (id),
    score       real    NOT NULL CONSTRAINT typology_scores_score_is_a_share CHECK (score BETWEEN 0 AND 1),
    run_id      bigint  NOT NULL REFERENCES archive_worker_runs (id)
);

-- The best subject category that a run saw for a tag, or why the tag is no subject.
CREATE TABLE subject_scores (
    tag_id              bigint  PRIMARY KEY REFERENCES tags (id) ON DELETE CASCADE,
    subject_category_id integer REFERENCES subject_categories (id),
    score               real    NOT NULL CONSTRAINT subject_scores_score_is_a_share CHECK (score BETWEEN 0 AND 1),
    refusal             text,
    run_id              bigint  NOT NULL REFERENCES archive_worker_runs (id)
);

-- Vectors, little-endian 32-bit floats, by document and model; never compared across models. Where the text became empty the vector is NULL.
-- changed_in lets a reader ask for what changed since it last looked.
CREATE TABLE document_vectors (
    document_id bigint NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    model       text   NOT NULL,
    fingerprint bytea  NOT NULL, -- of the text
    vector      bytea  CONSTRAINT document_vectors_hold_whole_numbers CHECK (octet_length(vector) % 4 = 0),
    run_id      bigint NOT NULL REFERENCES archive_worker_runs (id),
    changed_in  xid8   NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT document_vectors_one_per_document_and_model PRIMARY KEY (document_id, model)
);
ALTER TABLE document_vectors ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX document_vectors_by_change ON document_vectors (model, changed_in);

-- The queues.

CREATE VIEW ner_queue AS
SELECT d.id AS unit_id, l.unit_id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'ner' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
WHERE NOT human_decided(d.review_status);

CREATE VIEW typology_queue AS
SELECT d.id AS unit_id, r.id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'typology' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('typology'))
WHERE d.typology_id IS NULL AND NOT human_decided(d.review_status);

CREATE VIEW macro_category_queue AS
SELECT t.id AS unit_id, r.id IS NULL AS pending
FROM tags t
LEFT JOIN execution_log l ON l.worker_name = 'macro-category' AND l.unit_id = t.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('macro-category'))
WHERE t.subject_category_id IS NULL;

CREATE VIEW embedding_queue AS
SELECT d.id AS unit_id, l.unit_id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'embedding' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
WHERE d.review_status <> 'REJECTED';

-- recheck_model_stamps keeps the stamps of ner, typology and embedding true. What ner, typology and embedding read of a document depends on
-- the columns of the run that stamped it.
CREATE FUNCTION recheck_model_stamps() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    UPDATE execution_log l SET held = (n.review_status = 'REJECTED')
    FROM new_rows n JOIN old_rows o USING (id)
    WHERE (n.review_status = 'REJECTED') <> (o.review_status = 'REJECTED')
        AND l.worker_name = 'embedding' AND l.unit_id = n.id AND l.rule_version = 0;

    -- A typology that was taken back, or that a person chose, is no longer the worker's.
    DELETE FROM execution_log l USING new_rows n JOIN old_rows o USING (id)
    WHERE (n.typology_id IS NULL AND o.typology_id IS NOT NULL OR n.typology_person IS NOT NULL AND o.typology_person IS NULL)
        AND l.worker_name = 'typology' AND l.unit_id = n.id AND l.rule_version = 0;

    -- What a new text took back is for the validator to say again.
    DELETE FROM execution_log l USING new_rows n JOIN old_rows o USING (id)
    WHERE n.review_status = 'PENDING_AI' AND o.review_status <> 'PENDING_AI'
        AND l.worker_name = 'quality-validator' AND l.unit_id = n.id AND l.rule_version = 0;

    changed := ARRAY(SELECT n.id FROM new_rows n JOIN old_rows o USING (id)
        WHERE (n.original_title, n.scope_content, n.admin_bio_history, n.provenance)
            IS DISTINCT FROM (o.original_title, o.scope_content, o.admin_bio_history, o.provenance));
    IF changed <> '{}' THEN
        UPDATE execution_log l SET current = (l.fingerprint = input_hash(composed_text(d, text_columns(r.config))))
        FROM documents d, archive_worker_runs r
        WHERE d.id = ANY (changed) AND l.worker_name IN ('ner', 'typology', 'embedding') AND l.unit_id = d.id AND l.rule_version = 0
            AND l.outcome <> 'SETTLED' AND r.id = l.run_id
            AND l.current <> (l.fingerprint = input_hash(composed_text(d, text_columns(r.config))));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER recheck_model_stamps AFTER UPDATE ON documents REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION recheck_model_stamps();

-- tally_tags counts the tags without a category and keeps the stamps of macro-category true.
CREATE FUNCTION tally_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', 'uncategorised', count(*) FROM new_rows WHERE subject_category_id IS NULL HAVING count(*) > 0;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM execution_log l USING old_rows o WHERE l.worker_name = 'macro-category' AND l.unit_id = o.id;
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', 'uncategorised', -count(*) FROM old_rows WHERE subject_category_id IS NULL HAVING count(*) > 0;
    ELSE
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', 'uncategorised', c.n FROM (
            SELECT (SELECT count(*) FROM new_rows WHERE subject_category_id IS NULL) - (SELECT count(*) FROM old_rows WHERE subject_category_id IS NULL) AS n) AS c
        WHERE c.n <> 0;
        DELETE FROM execution_log l USING new_rows n JOIN old_rows o USING (id)
        WHERE (n.subject_category_id IS NULL AND o.subject_category_id IS NOT NULL OR n.category_person IS NOT NULL AND o.category_person IS NULL)
            AND l.worker_name = 'macro-category' AND l.unit_id = n.id;
        UPDATE execution_log l SET current = (l.fingerprint = input_hash(n.name))
        FROM new_rows n JOIN old_rows o USING (id)
        WHERE n.name <> o.name AND l.worker_name = 'macro-category' AND l.unit_id = n.id AND l.outcome <> 'SETTLED'
            AND l.current <> (l.fingerprint = input_hash(n.name));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tally_tags_insert AFTER INSERT ON tags REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_tags();
CREATE TRIGGER tally_tags_update AFTER UPDATE ON tags REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_tags();
CREATE TRIGGER tally_tags_delete AFTER DELETE ON tags REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_tags();

-- What the queues and their counts now know beside what they did.

CREATE OR REPLACE VIEW validator_inputs AS
SELECT v.document_id, v.title, v.date, v.same_title, v.has_tags, v.has_typology, v.has_entities, v.typology_ready, v.entities_ready,
    v.scope_content, v.admin_bio_history, v.provenance, v.archivist_notes,
    input_hash(jsonb_build_array(v.title, v.date, v.same_title, v.has_tags, v.has_typology, v.has_entities, v.typology_ready, v.entities_ready,
        v.scope_content, v.admin_bio_history, v.provenance, v.archivist_notes)::text) AS fingerprint
FROM (
    SELECT d.id AS document_id, d.original_title AS title, coalesce(d.date, '') AS date,
        (SELECT count(*) FROM (SELECT s.id FROM documents s WHERE s.title_key = d.title_key LIMIT 100) same) AS same_title,
        EXISTS (SELECT 1 FROM document_tags t WHERE t.document_id = d.id) AS has_tags,
        d.typology_id IS NOT NULL AS has_typology,
        EXISTS (SELECT 1 FROM document_entities e WHERE e.document_id = d.id) AS has_entities,
        EXISTS (SELECT 1 FROM execution_log l WHERE l.worker_name = 'typology' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome <> 'FAILED') AS typology_ready,
        EXISTS (SELECT 1 FROM execution_log l WHERE l.worker_name = 'ner' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE') AS entities_ready,
        coalesce(d.scope_content, '') AS scope_content, coalesce(d.admin_bio_history, '') AS admin_bio_history,
        coalesce(d.provenance, '') AS provenance, coalesce(d.archivist_notes, '') AS archivist_notes
    FROM documents d
) AS v;

-- worker_context is what a worker's stamps depend on beside the unit and the settings: for quality-validator the rules it applies, for
-- typology and macro-category the labels on offer and what is no subject. A run notes it at its start; when it changes, what the run
-- stamped is pending again.
CREATE OR REPLACE FUNCTION worker_context(worker text) RETURNS bytea
    LANGUAGE sql STABLE
RETURN CASE worker
    WHEN 'quality-validator' THEN (
        SELECT input_hash(string_agg(r.version::text, ',' ORDER BY r.version))
        FROM cleaning_rules r WHERE r.active AND r.kind IN ('VALIDATE', 'LLM_CHECK'))
    WHEN 'typology' THEN (
        SELECT input_hash(string_agg(t.id::text || ' ' || t.name, E'\n' ORDER BY t.id)) FROM typologies t WHERE t.retired_at IS NULL)
    WHEN 'macro-category' THEN input_hash(
        (SELECT string_agg(c.id::text || ' ' || coalesce(c.classifier_label, c.name), E'\n' ORDER BY c.id) FROM subject_categories c WHERE c.retired_at IS NULL)
        || E'\n\n' || coalesce((SELECT string_agg(x.kind || ' ' || x.term, E'\n' ORDER BY x.id) FROM exclusions x
            WHERE x.retired_at IS NULL AND x.kind IN ('SUBJECT', 'COLLECTION')), ''))
    ELSE ''::bytea END;

CREATE OR REPLACE VIEW queue_eligible AS
WITH facts AS (SELECT measure, sum(n) AS n FROM queue_tally WHERE worker_name = '' GROUP BY measure)
SELECT w.worker_name, coalesce(w.eligible, 0)::bigint AS eligible
FROM (
    SELECT 'transfer' AS worker_name, sum(CASE measure WHEN 'staging' THEN n WHEN 'decided' THEN -n END) AS eligible FROM facts
    UNION ALL
    SELECT 'cleaning', sum(f.n) FROM cleaning_rules r JOIN facts f ON f.measure = 'column:' || r.target_column
    WHERE r.active AND r.kind = 'REWRITE'
    UNION ALL
    SELECT 'ner', sum(n) FROM facts WHERE measure = 'governed'
    UNION ALL
    SELECT 'quality-validator', sum(n) FROM facts WHERE measure = 'governed'
    UNION ALL
    SELECT 'typology', sum(CASE measure WHEN 'governed' THEN n WHEN 'typed' THEN -n END) FROM facts
    UNION ALL
    SELECT 'macro-category', sum(n) FROM facts WHERE measure = 'uncategorised'
    UNION ALL
    SELECT 'embedding', sum(CASE measure WHEN 'governed' THEN n WHEN 'decided' THEN n WHEN 'rejected' THEN -n END) FROM facts
) AS w;

DROP VIEW queue_stamped;
CREATE VIEW queue_stamped AS
SELECT t.worker_name, t.run_id, r.config_fingerprint,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'DONE' AND r.context_fingerprint = c.context_fingerprint), 0)::bigint AS done,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'SETTLED'), 0)::bigint AS settled,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'FAILED'), 0)::bigint AS failed
FROM queue_tally t
JOIN archive_worker_runs r ON r.id = t.run_id
JOIN (SELECT w.worker_name, worker_context(w.worker_name) AS context_fingerprint FROM queue_eligible w) c ON c.worker_name = t.worker_name
WHERE t.worker_name <> 'cleaning'
    OR t.rule_version IN (SELECT version FROM cleaning_rules WHERE active AND kind = 'REWRITE')
GROUP BY t.worker_name, t.run_id, r.config_fingerprint;

CREATE OR REPLACE FUNCTION document_facts(d documents) RETURNS TABLE (measure text, n integer)
    LANGUAGE sql IMMUTABLE
AS $$
    SELECT f.measure, 1 FROM (VALUES
        ('decided', human_decided(d.review_status)),
        ('governed', NOT human_decided(d.review_status)),
        ('typed', d.typology_id IS NOT NULL AND NOT human_decided(d.review_status)),
        ('rejected', d.review_status = 'REJECTED'),
        ('column:original_title', d.original_title <> '' AND NOT human_decided(d.review_status)),
        ('column:scope_content', d.scope_content <> '' AND NOT human_decided(d.review_status)),
        ('column:admin_bio_history', d.admin_bio_history <> '' AND NOT human_decided(d.review_status)),
        ('column:provenance', d.provenance <> '' AND NOT human_decided(d.review_status)),
        ('column:archivist_notes', d.archivist_notes <> '' AND NOT human_decided(d.review_status))
    ) AS f (measure, holds) WHERE f.holds
$$;

CREATE OR REPLACE FUNCTION tally_documents() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    retitled bigint[];
    changed bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', m.measure, m.n FROM (
            SELECT count(*) FILTER (WHERE NOT h) AS governed, count(*) FILTER (WHERE h) AS decided,
                count(*) FILTER (WHERE NOT h AND original_title <> '') AS t, count(*) FILTER (WHERE NOT h AND scope_content <> '') AS s,
                count(*) FILTER (WHERE NOT h AND admin_bio_history <> '') AS a, count(*) FILTER (WHERE NOT h AND provenance <> '') AS p,
                count(*) FILTER (WHERE NOT h AND archivist_notes <> '') AS n,
                count(*) FILTER (WHERE NOT h AND typology_id IS NOT NULL) AS typed, count(*) FILTER (WHERE review_status = 'REJECTED') AS rejected
            FROM (SELECT *, human_decided(review_status) AS h FROM new_rows) AS r
        ) AS c, LATERAL (VALUES ('governed', governed), ('decided', decided), ('column:original_title', t), ('column:scope_content', s),
            ('column:admin_bio_history', a), ('column:provenance', p), ('column:archivist_notes', c.n),
            ('typed', typed), ('rejected', rejected)) AS m (measure, n)
        WHERE m.n <> 0;
        retitled := CASE WHEN EXISTS (SELECT FROM execution_log WHERE worker_name = 'quality-validator')
            THEN ARRAY(SELECT DISTINCT title_key FROM new_rows WHERE title_key IS NOT NULL) END;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', f.measure, -count(*) FROM old_rows o, LATERAL document_facts(o::documents) f GROUP BY f.measure;
        DELETE FROM execution_log l USING old_rows o WHERE l.unit_kind IN ('document', 'staging') AND l.unit_id = o.id;
        retitled := ARRAY(SELECT DISTINCT title_key FROM old_rows WHERE title_key IS NOT NULL);
    ELSE
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', d.measure, sum(d.n) FROM (
            SELECT f.measure, f.n FROM new_rows n, LATERAL document_facts(n::documents) f
            UNION ALL
            SELECT f.measure, -f.n FROM old_rows o, LATERAL document_facts(o::documents) f) AS d
        GROUP BY d.measure HAVING sum(d.n) <> 0;

        UPDATE execution_log l SET held = human_decided(n.review_status)
        FROM new_rows n JOIN old_rows o USING (id)
        WHERE human_decided(n.review_status) <> human_decided(o.review_status)
            AND l.worker_name IN ('transfer', 'cleaning', 'ner', 'typology', 'thumbnail', 'quality-validator') AND l.unit_id = n.id;

        changed := ARRAY(SELECT n.id FROM new_rows n JOIN old_rows o USING (id)
            WHERE (n.original_title, n.date, n.scope_content, n.admin_bio_history, n.provenance, n.archivist_notes, n.typology_id)
                IS DISTINCT FROM (o.original_title, o.date, o.scope_content, o.admin_bio_history, o.provenance, o.archivist_notes, o.typology_id));
        IF changed <> '{}' THEN
            UPDATE execution_log l SET current = (l.fingerprint = input_hash(target_text(d, r.target_column)))
            FROM documents d, cleaning_rules r
            WHERE d.id = ANY (changed) AND l.worker_name = 'cleaning' AND l.unit_id = d.id AND r.version = l.rule_version
                AND l.current <> (l.fingerprint = input_hash(target_text(d, r.target_column)));
            PERFORM recheck_validator_stamps(changed);
        END IF;
        retitled := ARRAY(SELECT n.title_key FROM new_rows n JOIN old_rows o USING (id)
                WHERE n.title_key IS DISTINCT FROM o.title_key AND n.title_key IS NOT NULL
            UNION SELECT o.title_key FROM new_rows n JOIN old_rows o USING (id)
                WHERE n.title_key IS DISTINCT FROM o.title_key AND o.title_key IS NOT NULL);
    END IF;
    IF retitled <> '{}' THEN
        PERFORM recheck_validator_stamps(ARRAY(SELECT id FROM documents WHERE title_key = ANY (retitled)));
    END IF;
    RETURN NULL;
END $$;

-- What was there before these facts were counted.
INSERT INTO queue_tally (worker_name, measure, n)
SELECT '', m.measure, m.n FROM (
    SELECT 'typed' AS measure, count(*) AS n FROM documents WHERE typology_id IS NOT NULL AND NOT human_decided(review_status)
    UNION ALL SELECT 'rejected', count(*) FROM documents WHERE review_status = 'REJECTED'
    UNION ALL SELECT 'uncategorised', count(*) FROM tags WHERE subject_category_id IS NULL) AS m
WHERE m.n > 0;
