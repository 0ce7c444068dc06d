DELETE FROM execution_log WHERE worker_name = 'thumbnail';
CREATE OR REPLACE VIEW document_queues AS
SELECT 'transfer' AS worker_name, q.unit_id, q.pending FROM transfer_queue q JOIN documents d ON d.id = q.unit_id
UNION ALL SELECT 'cleaning', q.unit_id, bool_or(q.pending) FROM cleaning_queue q GROUP BY q.unit_id
UNION ALL SELECT 'ner', q.unit_id, q.pending FROM ner_queue q
UNION ALL SELECT 'typology', q.unit_id, q.pending FROM typology_queue q
UNION ALL SELECT 'quality-validator', q.unit_id, q.pending FROM quality_validator_queue q
UNION ALL SELECT 'embedding', q.unit_id, q.pending FROM embedding_queue q;
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
) AS w;
DROP TRIGGER tally_pictures_delete ON documents;
DROP TRIGGER tally_pictures_update ON documents;
DROP TRIGGER tally_pictures_insert ON documents;
DROP FUNCTION tally_pictures;
DELETE FROM queue_tally WHERE worker_name = 'thumbnail' OR worker_name = '' AND measure = 'pictured';
DROP VIEW thumbnail_queue;
DROP INDEX documents_with_picture;
DROP TABLE thumbnails;
DROP INDEX execution_log_failed;
CREATE INDEX execution_log_failed ON execution_log (worker_name, unit_id) WHERE outcome = 'FAILED';
ALTER TABLE execution_log DROP CONSTRAINT execution_log_error_exactly_when_failed;
ALTER TABLE execution_log ADD CONSTRAINT execution_log_error_exactly_when_failed CHECK ((outcome = 'FAILED') = (error IS NOT NULL));
ALTER TABLE execution_log DROP CONSTRAINT execution_log_outcome_is_known;
ALTER TABLE execution_log ADD CONSTRAINT execution_log_outcome_is_known CHECK (outcome IN ('DONE', 'SETTLED', 'FAILED'));
