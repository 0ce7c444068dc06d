DELETE FROM execution_log WHERE worker_name IN ('ner', 'typology', 'macro-category', 'embedding');
DROP VIEW queue_stamped;
CREATE VIEW queue_stamped AS
SELECT t.worker_name, t.run_id, r.config_fingerprint,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'DONE' AND r.context_fingerprint = c.context_fingerprint), 0)::bigint AS done,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'FAILED'), 0)::bigint AS failed
FROM queue_tally t
JOIN archive_worker_runs r ON r.id = t.run_id
JOIN (SELECT w.worker_name, worker_context(w.worker_name) AS context_fingerprint FROM queue_eligible w) c ON c.worker_name = t.worker_name
WHERE t.worker_name <> 'cleaning'
    OR t.rule_version IN (SELECT version FROM cleaning_rules WHERE active AND kind = 'REWRITE')
GROUP BY t.worker_name, t.run_id, r.config_fingerprint;
CREATE OR REPLACE VIEW queue_eligible AS
WITH facts AS (SELECT measure, sum(n) AS n FROM queue_tally WHERE worker_name = '' GROUP BY measure)
SELECT w.worker_name, coalesce(w.eligible, 0)::bigint AS eligible
FROM (
    SELECT 'transfer' AS worker_name, sum(CASE measure WHEN 'staging' THEN n WHEN 'decided' THEN -n END) AS eligible FROM facts
    UNION ALL
    SELECT 'cleaning', sum(f.n) FROM cleaning_rules r JOIN facts f ON f.measure = 'column:' || r.target_column
    WHERE r.active AND r.kind = 'REWRITE'
    UNION ALL
    SELECT 'quality-validator', sum(n) FROM facts WHERE measure = 'governed'
) AS w;
CREATE OR REPLACE FUNCTION worker_context(worker text) RETURNS bytea
    LANGUAGE sql STABLE
RETURN CASE worker
    WHEN 'quality-validator' THEN (
        SELECT input_hash(string_agg(r.version::text, ',' ORDER BY r.version))
        FROM cleaning_rules r WHERE r.active AND r.kind IN ('VALIDATE', 'LLM_CHECK'))
    ELSE ''::bytea END;
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
        EXISTS (SELECT 1 FROM execution_log l WHERE l.worker_name = 'typology' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE') AS typology_ready,
        EXISTS (SELECT 1 FROM execution_log l WHERE l.worker_name = 'ner' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE') AS entities_ready,
        coalesce(d.scope_content, '') AS scope_content, coalesce(d.admin_bio_history, '') AS admin_bio_history,
        coalesce(d.provenance, '') AS provenance, coalesce(d.archivist_notes, '') AS archivist_notes
    FROM documents d
) AS v;
CREATE OR REPLACE FUNCTION document_facts(d documents) RETURNS TABLE (measure text, n integer)
    LANGUAGE sql IMMUTABLE
AS $$
    SELECT f.measure, 1 FROM (VALUES
        ('decided', human_decided(d.review_status)),
        ('governed', NOT human_decided(d.review_status)),
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
                count(*) FILTER (WHERE NOT h AND archivist_notes <> '') AS n
            FROM (SELECT *, human_decided(review_status) AS h FROM new_rows) AS r
        ) AS c, LATERAL (VALUES ('governed', governed), ('decided', decided), ('column:original_title', t), ('column:scope_content', s),
            ('column:admin_bio_history', a), ('column:provenance', p), ('column:archivist_notes', c.n)) AS m (measure, n)
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
DELETE FROM queue_tally WHERE worker_name = '' AND measure IN ('typed', 'rejected', 'uncategorised');
DROP TRIGGER tally_tags_delete ON tags;
DROP TRIGGER tally_tags_update ON tags;
DROP TRIGGER tally_tags_insert ON tags;
DROP FUNCTION tally_tags();
DROP TRIGGER recheck_model_stamps ON documents;
DROP FUNCTION recheck_model_stamps();
DROP VIEW embedding_queue;
DROP VIEW macro_category_queue;
DROP VIEW typology_queue;
DROP VIEW ner_queue;
DROP TABLE document_vectors;
DROP TABLE subject_scores;
DROP TABLE typology_scores;
ALTER TABLE document_entities DROP COLUMN score;
ALTER TABLE tags DROP COLUMN category_person;
ALTER TABLE documents DROP COLUMN typology_person;
DROP FUNCTION text_columns(jsonb);
DROP FUNCTION composed_text(documents, text[]);
ALTER TABLE execution_log DROP CONSTRAINT execution_log_outcome_is_known;
ALTER TABLE execution_log ADD CONSTRAINT execution_log_outcome_is_known CHECK (outcome IN ('DONE', 'FAILED'));
DELETE FROM exclusions WHERE kind = 'COLLECTION';
ALTER TABLE exclusions DROP CONSTRAINT exclusions_kind_is_known;
ALTER TABLE exclusions ADD CONSTRAINT exclusions_kind_is_known CHECK (kind IN ('NER', 'SUBJECT'));
