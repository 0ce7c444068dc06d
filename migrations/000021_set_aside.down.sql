DROP FUNCTION pending_fingerprint(text, bigint, jsonb);

CREATE OR REPLACE VIEW ner_queue AS
SELECT d.id AS unit_id, l.unit_id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'ner' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
WHERE NOT human_decided(d.review_status);

CREATE OR REPLACE VIEW typology_queue AS
SELECT d.id AS unit_id, r.id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'typology' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('typology'))
WHERE d.typology_id IS NULL AND NOT human_decided(d.review_status);

CREATE OR REPLACE VIEW macro_category_queue AS
SELECT t.id AS unit_id, r.id IS NULL AS pending
FROM tags t
LEFT JOIN execution_log l ON l.worker_name = 'macro-category' AND l.unit_id = t.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('macro-category'))
WHERE t.subject_category_id IS NULL;

CREATE OR REPLACE VIEW embedding_queue AS
SELECT d.id AS unit_id, l.unit_id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'embedding' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome = 'DONE' AND l.current
WHERE d.review_status <> 'REJECTED';

CREATE OR REPLACE VIEW quality_validator_queue AS
SELECT d.id AS unit_id, r.id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'quality-validator' AND l.unit_id = d.id AND l.rule_version = 0
    AND l.outcome = 'DONE' AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('quality-validator'))
WHERE NOT human_decided(d.review_status);

CREATE OR REPLACE VIEW conflict_judge_queue AS
SELECT p.id AS unit_id, p.tag_id, p.entity_id, p.shared, p.total, q.id IS NULL AS pending
FROM similar_pairs p
LEFT JOIN review_queue q ON q.kind = 'CONFLICT' AND q.tag_id = p.tag_id AND q.entity_id = p.entity_id
WHERE q.id IS NULL OR (q.decided_at IS NULL AND NOT EXISTS (SELECT FROM resolutions r WHERE r.review_id = q.id));

-- What was set aside waits again.
DELETE FROM execution_log l USING unit_deaths d WHERE l.worker_name = d.worker_name AND l.unit_id = d.unit_id AND l.outcome = 'GIVEN_UP' AND d.worker_name <> 'thumbnail';

DROP TABLE unit_deaths;
DROP TABLE units_in_work;
