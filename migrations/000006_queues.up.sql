-- The execution log, the queues, and the tallies that make counting a queue cheap (docs/adr/0002-exact-counts.md).

-- execution_log holds the stamps: what each worker last made of each unit. Absent means never processed.
-- current: the fingerprint still equals that of the unit's input; held: a human decided on the unit meanwhile.
CREATE TABLE execution_log (
    worker_name  text    NOT NULL,
    unit_kind    text    NOT NULL CONSTRAINT execution_log_unit_kind_is_known CHECK (unit_kind IN ('staging', 'document', 'tag', 'pair')),
    unit_id      bigint  NOT NULL,
    rule_version bigint  NOT NULL DEFAULT 0,
    fingerprint  bytea   NOT NULL,
    run_id       bigint  NOT NULL, -- of archive_worker_runs; checked a statement at a time, see tally_stamps
    outcome      text    NOT NULL CONSTRAINT execution_log_outcome_is_known CHECK (outcome IN ('DONE', 'FAILED')),
    error        text    CONSTRAINT execution_log_error_is_short CHECK (octet_length(error) <= 8192),
    current      boolean NOT NULL DEFAULT true,
    held         boolean NOT NULL DEFAULT false,
    CONSTRAINT execution_log_one_stamp_per_unit PRIMARY KEY (worker_name, unit_id, rule_version),
    CONSTRAINT execution_log_error_exactly_when_failed CHECK ((outcome = 'FAILED') = (error IS NOT NULL))
);
CREATE INDEX execution_log_failed ON execution_log (worker_name, unit_id) WHERE outcome = 'FAILED';

-- queue_tally is append-only: each statement that moves units between states adds the difference, so that writers
-- never wait for each other; a count is a sum over few rows, and compact_queue_tally folds them together.
-- measure: a fact of the descriptions ('staging', 'governed', 'column:...') or 'DONE' and 'FAILED' of the stamps.
CREATE TABLE queue_tally (
    worker_name  text   NOT NULL,
    measure      text   NOT NULL,
    rule_version bigint NOT NULL DEFAULT 0,
    run_id       bigint NOT NULL DEFAULT 0,
    n            bigint NOT NULL
);
CREATE INDEX queue_tally_by_worker ON queue_tally (worker_name, measure, rule_version, run_id) INCLUDE (n);

CREATE FUNCTION compact_queue_tally() RETURNS void LANGUAGE sql AS $$
    WITH taken AS (DELETE FROM queue_tally RETURNING worker_name, measure, rule_version, run_id, n)
    INSERT INTO queue_tally (worker_name, measure, rule_version, run_id, n)
    SELECT worker_name, measure, rule_version, run_id, sum(n) FROM taken GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0;
$$;

-- human_decided is true of the documents that governed workers leave alone.
CREATE FUNCTION human_decided(review_status text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN review_status IN ('HUMAN_APPROVED', 'REJECTED');

-- target_text is the text of the column that a cleaning rule names.
CREATE FUNCTION target_text(d documents, target_column text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE target_column
    WHEN 'original_title' THEN d.original_title
    WHEN 'scope_content' THEN d.scope_content
    WHEN 'admin_bio_history' THEN d.admin_bio_history
    WHEN 'provenance' THEN d.provenance
    WHEN 'archivist_notes' THEN d.archivist_notes END;

-- validator_inputs is what quality-validator reads of each document. Same titles are counted up to 100, the highest
-- repeat threshold. The fingerprint covers all of it.
CREATE VIEW validator_inputs AS
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

-- worker_context is what a worker's stamps depend on beside the unit and the settings: for quality-validator the
-- rules it applies. A run notes it at its start; when it changes, what the run stamped is pending again.
CREATE FUNCTION worker_context(worker text) RETURNS bytea
    LANGUAGE sql STABLE
RETURN CASE worker
    WHEN 'quality-validator' THEN (
        SELECT input_hash(string_agg(r.version::text, ',' ORDER BY r.version))
        FROM cleaning_rules r WHERE r.active AND r.kind IN ('VALIDATE', 'LLM_CHECK'))
    ELSE ''::bytea END;

-- lock_is_held says whether any session of this database holds the advisory lock of that key.
CREATE FUNCTION lock_is_held(key bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.classid::bigint = (key >> 32 & 4294967295) AND l.objid::bigint = (key & 4294967295))
$$;

-- The queues: one view a worker, with every unit the worker may touch; pending says whether the next run would.

CREATE VIEW transfer_queue AS
SELECT s.id AS unit_id, l.unit_id IS NULL AS pending
FROM staging_records s
LEFT JOIN documents d ON d.id = s.id
LEFT JOIN execution_log l ON l.worker_name = 'transfer' AND l.unit_id = s.id AND l.rule_version = 0
    AND l.outcome = 'DONE' AND l.current
WHERE d.id IS NULL OR NOT human_decided(d.review_status);

CREATE VIEW cleaning_queue AS
SELECT d.id AS unit_id, r.id AS rule_id, r.version AS rule_version, r.position, r.target_column,
    l.unit_id IS NULL AS pending
FROM documents d
CROSS JOIN cleaning_rules r
LEFT JOIN execution_log l ON l.worker_name = 'cleaning' AND l.unit_id = d.id AND l.rule_version = r.version
    AND l.outcome = 'DONE' AND l.current
WHERE r.active AND r.kind = 'REWRITE' AND target_text(d, r.target_column) <> '' AND NOT human_decided(d.review_status);

CREATE VIEW quality_validator_queue AS
SELECT d.id AS unit_id, r.id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'quality-validator' AND l.unit_id = d.id AND l.rule_version = 0
    AND l.outcome = 'DONE' AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('quality-validator'))
WHERE NOT human_decided(d.review_status);

-- queue_eligible: how many units each worker may touch, from the tallies.
CREATE VIEW queue_eligible AS
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

-- queue_stamped: how many units each worker stamped, by the run that did; only stamps that still count.
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

-- Triggers: what keeps the tallies and the stamps' flags true.

CREATE FUNCTION tally_staging() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO queue_tally (worker_name, measure, n) SELECT '', 'staging', count(*) FROM new_rows HAVING count(*) > 0;
    ELSIF TG_OP = 'DELETE' THEN
        IF EXISTS (SELECT FROM old_rows o JOIN documents d ON d.id = o.id) THEN
            RAISE EXCEPTION 'a staging record stays as long as its description' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'documents_have_their_staging_record';
        END IF;
        DELETE FROM execution_log l USING old_rows o WHERE l.worker_name = 'transfer' AND l.unit_id = o.id;
        INSERT INTO queue_tally (worker_name, measure, n) SELECT '', 'staging', -count(*) FROM old_rows HAVING count(*) > 0;
    ELSE
        UPDATE execution_log l SET current = (l.fingerprint = n.content_hash)
        FROM new_rows n
        WHERE l.worker_name = 'transfer' AND l.unit_id = n.id AND l.current <> (l.fingerprint = n.content_hash);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tally_staging_insert AFTER INSERT ON staging_records REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_staging();
CREATE TRIGGER tally_staging_update AFTER UPDATE ON staging_records REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_staging();
CREATE TRIGGER tally_staging_delete AFTER DELETE ON staging_records REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_staging();

-- tally_stamps also stands in for the foreign key to the ledger, whose rows are never deleted: one look a statement instead of one a stamp.
CREATE FUNCTION tally_stamps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' THEN
        PERFORM FROM (SELECT DISTINCT run_id FROM new_rows) n WHERE NOT EXISTS (SELECT FROM archive_worker_runs r WHERE r.id = n.run_id);
        IF FOUND THEN
            RAISE EXCEPTION 'a stamp names a run that is not in the ledger' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'execution_log_run_is_in_the_ledger';
        END IF;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO queue_tally (worker_name, measure, rule_version, run_id, n)
        SELECT worker_name, outcome, rule_version, run_id, count(*) FROM new_rows WHERE current AND NOT held GROUP BY 1, 2, 3, 4;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO queue_tally (worker_name, measure, rule_version, run_id, n)
        SELECT worker_name, outcome, rule_version, run_id, -count(*) FROM old_rows WHERE current AND NOT held GROUP BY 1, 2, 3, 4;
    ELSE
        INSERT INTO queue_tally (worker_name, measure, rule_version, run_id, n)
        SELECT worker_name, outcome, rule_version, run_id, sum(d)
        FROM (SELECT worker_name, outcome, rule_version, run_id, 1 AS d FROM new_rows WHERE current AND NOT held
              UNION ALL
              SELECT worker_name, outcome, rule_version, run_id, -1 FROM old_rows WHERE current AND NOT held) AS change
        GROUP BY 1, 2, 3, 4 HAVING sum(d) <> 0;
    END IF;
    IF TG_OP <> 'DELETE' THEN -- the validator reads whether ner and typology have been there
        PERFORM recheck_validator_stamps(s.ids) FROM (
            SELECT array_agg(DISTINCT unit_id) AS ids FROM new_rows WHERE worker_name IN ('ner', 'typology')) AS s WHERE s.ids IS NOT NULL;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tally_stamps_insert AFTER INSERT ON execution_log REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_stamps();
CREATE TRIGGER tally_stamps_update AFTER UPDATE ON execution_log REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_stamps();
CREATE TRIGGER tally_stamps_delete AFTER DELETE ON execution_log REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_stamps();

-- recheck_validator_stamps compares the validator's stamps of these documents with what it would read now.
CREATE FUNCTION recheck_validator_stamps(documents bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE execution_log l SET current = (l.fingerprint = v.fingerprint)
    FROM validator_inputs v
    WHERE v.document_id = ANY (documents) AND l.worker_name = 'quality-validator' AND l.unit_id = v.document_id AND l.rule_version = 0
        AND l.current <> (l.fingerprint = v.fingerprint);
$$;

-- document_facts: what the tallies know of descriptions.
CREATE FUNCTION document_facts(d documents) RETURNS TABLE (measure text, n integer)
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

CREATE FUNCTION tally_documents() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER tally_documents_insert AFTER INSERT ON documents REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_documents();
CREATE TRIGGER tally_documents_update AFTER UPDATE ON documents REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_documents();
CREATE TRIGGER tally_documents_delete AFTER DELETE ON documents REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_documents();

-- The validator reads whether a document has tags and entities, and whether ner and typology have been there.
CREATE FUNCTION recheck_validator_after_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM execution_log WHERE worker_name = 'quality-validator') THEN
        PERFORM recheck_validator_stamps(ARRAY(SELECT DISTINCT document_id FROM changed_rows));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER recheck_validator_insert AFTER INSERT ON document_tags REFERENCING NEW TABLE AS changed_rows
    FOR EACH STATEMENT EXECUTE FUNCTION recheck_validator_after_links();
CREATE TRIGGER recheck_validator_delete AFTER DELETE ON document_tags REFERENCING OLD TABLE AS changed_rows
    FOR EACH STATEMENT EXECUTE FUNCTION recheck_validator_after_links();
CREATE TRIGGER recheck_validator_insert AFTER INSERT ON document_entities REFERENCING NEW TABLE AS changed_rows
    FOR EACH STATEMENT EXECUTE FUNCTION recheck_validator_after_links();
CREATE TRIGGER recheck_validator_delete AFTER DELETE ON document_entities REFERENCING OLD TABLE AS changed_rows
    FOR EACH STATEMENT EXECUTE FUNCTION recheck_validator_after_links();
