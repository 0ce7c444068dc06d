-- Thumbnails of the pictures that descriptions point to, and what cannot be had.

-- GIVEN_UP is the outcome of a unit that failed so that trying again would end the same: it is not pending until its input changes, or a
-- run is forced.
ALTER TABLE execution_log DROP CONSTRAINT execution_log_outcome_is_known;
ALTER TABLE execution_log ADD CONSTRAINT execution_log_outcome_is_known CHECK (outcome IN ('DONE', 'SETTLED', 'FAILED', 'GIVEN_UP'));
ALTER TABLE execution_log DROP CONSTRAINT execution_log_error_exactly_when_failed;
ALTER TABLE execution_log ADD CONSTRAINT execution_log_error_exactly_when_failed CHECK ((outcome IN ('FAILED', 'GIVEN_UP')) = (error IS NOT NULL));
DROP INDEX execution_log_failed;
CREATE INDEX execution_log_failed ON execution_log (worker_name, unit_id) WHERE outcome IN ('FAILED', 'GIVEN_UP');

-- A thumbnail is in storage under its key. It is that of the address whose fingerprint it has: another address waits for another thumbnail.
CREATE TABLE thumbnails (
    document_id  bigint  PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    fingerprint  bytea   NOT NULL, -- of the source address
    key          text    NOT NULL,
    content_type text    NOT NULL,
    bytes        bigint  NOT NULL CONSTRAINT thumbnails_bytes_are_some CHECK (bytes > 0),
    width        integer NOT NULL CONSTRAINT thumbnails_width_is_some CHECK (width > 0),
    height       integer NOT NULL CONSTRAINT thumbnails_height_is_some CHECK (height > 0),
    digest       bytea   NOT NULL CONSTRAINT thumbnails_digest_is_sha256 CHECK (octet_length(digest) = 32), -- of the stored bytes
    run_id       bigint  NOT NULL REFERENCES archive_worker_runs (id)
);

CREATE INDEX documents_with_picture ON documents (id) WHERE image_url <> '';

CREATE VIEW thumbnail_queue AS
SELECT d.id AS unit_id, l.unit_id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'thumbnail' AND l.unit_id = d.id AND l.rule_version = 0
    AND l.outcome IN ('DONE', 'GIVEN_UP') AND l.current
WHERE d.image_url <> '' AND NOT human_decided(d.review_status);

CREATE OR REPLACE VIEW document_queues AS
SELECT 'transfer' AS worker_name, q.unit_id, q.pending FROM transfer_queue q JOIN documents d ON d.id = q.unit_id
UNION ALL SELECT 'cleaning', q.unit_id, bool_or(q.pending) FROM cleaning_queue q GROUP BY q.unit_id
UNION ALL SELECT 'ner', q.unit_id, q.pending FROM ner_queue q
UNION ALL SELECT 'typology', q.unit_id, q.pending FROM typology_queue q
UNION ALL SELECT 'quality-validator', q.unit_id, q.pending FROM quality_validator_queue q
UNION ALL SELECT 'embedding', q.unit_id, q.pending FROM embedding_queue q
UNION ALL SELECT 'thumbnail', q.unit_id, q.pending FROM thumbnail_queue q;

-- tally_pictures counts the documents that have the address of a picture and no human decided on, and keeps the stamps of thumbnail true.
CREATE FUNCTION tally_pictures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', 'pictured', count(*) FROM new_rows WHERE image_url <> '' AND NOT human_decided(review_status) HAVING count(*) > 0;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', 'pictured', -count(*) FROM old_rows WHERE image_url <> '' AND NOT human_decided(review_status) HAVING count(*) > 0;
    ELSE
        INSERT INTO queue_tally (worker_name, measure, n)
        SELECT '', 'pictured', c.n FROM (
            SELECT (SELECT count(*) FROM new_rows WHERE image_url <> '' AND NOT human_decided(review_status))
                - (SELECT count(*) FROM old_rows WHERE image_url <> '' AND NOT human_decided(review_status)) AS n) AS c
        WHERE c.n <> 0;
        UPDATE execution_log l SET current = (l.fingerprint = input_hash(coalesce(n.image_url, '')))
        FROM new_rows n JOIN old_rows o USING (id)
        WHERE n.image_url IS DISTINCT FROM o.image_url AND l.worker_name = 'thumbnail' AND l.unit_id = n.id AND l.rule_version = 0
            AND l.current <> (l.fingerprint = input_hash(coalesce(n.image_url, '')));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tally_pictures_insert AFTER INSERT ON documents REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_pictures();
CREATE TRIGGER tally_pictures_update AFTER UPDATE ON documents REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_pictures();
CREATE TRIGGER tally_pictures_delete AFTER DELETE ON documents REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION tally_pictures();

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
    UNION ALL
    SELECT 'conflict-judge', NULL -- its pairs are counted by their similarity, see CountPairs
    UNION ALL
    SELECT 'thumbnail', sum(n) FROM facts WHERE measure = 'pictured'
) AS w;

CREATE OR REPLACE VIEW queue_stamped AS
SELECT t.worker_name, t.run_id, r.config_fingerprint,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'DONE' AND r.context_fingerprint = c.context_fingerprint), 0)::bigint AS done,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'SETTLED'), 0)::bigint AS settled,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'FAILED'), 0)::bigint AS failed,
    coalesce(sum(t.n) FILTER (WHERE t.measure = 'GIVEN_UP'), 0)::bigint AS given_up
FROM queue_tally t
JOIN archive_worker_runs r ON r.id = t.run_id
JOIN (SELECT w.worker_name, worker_context(w.worker_name) AS context_fingerprint FROM queue_eligible w) c ON c.worker_name = t.worker_name
WHERE t.worker_name <> 'cleaning'
    OR t.rule_version IN (SELECT version FROM cleaning_rules WHERE active AND kind = 'REWRITE')
GROUP BY t.worker_name, t.run_id, r.config_fingerprint;

-- What was there before it was counted.
INSERT INTO queue_tally (worker_name, measure, n)
SELECT '', 'pictured', count(*) FROM documents WHERE image_url <> '' AND NOT human_decided(review_status) HAVING count(*) > 0;
