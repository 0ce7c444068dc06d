-- What was in work when a process died, and what is set aside because of it.

-- units_in_work: what a process has taken up and not yet committed, one row a run and process. A row that outlives its run's end names what was in work when
-- the process died. server_started tells a dead process from a database that was restarted.
CREATE TABLE units_in_work (
    run_id         bigint      NOT NULL REFERENCES archive_worker_runs (id),
    owner          text        NOT NULL,
    unit_ids       bigint[]    NOT NULL,
    unit_names     text[]      NOT NULL,
    server_started timestamptz NOT NULL DEFAULT pg_postmaster_start_time(),
    CONSTRAINT units_in_work_one_row_per_process PRIMARY KEY (run_id, owner),
    CONSTRAINT units_in_work_are_named CHECK (cardinality(unit_ids) = cardinality(unit_names))
);

-- unit_deaths: how many processes died in a row while a unit was in work. A unit that is survived has none.
CREATE TABLE unit_deaths (
    worker_name text    NOT NULL,
    unit_id     bigint  NOT NULL,
    unit_name   text    NOT NULL,
    deaths      integer NOT NULL CONSTRAINT unit_deaths_count_from_one CHECK (deaths >= 1),
    run_id      bigint  NOT NULL REFERENCES archive_worker_runs (id), -- the last
    owner       text    NOT NULL, -- the last
    CONSTRAINT unit_deaths_one_row_per_unit PRIMARY KEY (worker_name, unit_id)
);

-- What is given up does not wait, whichever worker gave it up.
CREATE OR REPLACE VIEW ner_queue AS
SELECT d.id AS unit_id, l.unit_id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'ner' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome IN ('DONE', 'GIVEN_UP') AND l.current
WHERE NOT human_decided(d.review_status);

CREATE OR REPLACE VIEW typology_queue AS
SELECT d.id AS unit_id, r.id IS NULL AND l.outcome IS DISTINCT FROM 'GIVEN_UP' AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'typology' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome IN ('DONE', 'GIVEN_UP') AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('typology'))
WHERE d.typology_id IS NULL AND NOT human_decided(d.review_status);

CREATE OR REPLACE VIEW macro_category_queue AS
SELECT t.id AS unit_id, r.id IS NULL AND l.outcome IS DISTINCT FROM 'GIVEN_UP' AS pending
FROM tags t
LEFT JOIN execution_log l ON l.worker_name = 'macro-category' AND l.unit_id = t.id AND l.rule_version = 0 AND l.outcome IN ('DONE', 'GIVEN_UP') AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('macro-category'))
WHERE t.subject_category_id IS NULL;

CREATE OR REPLACE VIEW embedding_queue AS
SELECT d.id AS unit_id, l.unit_id IS NULL AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'embedding' AND l.unit_id = d.id AND l.rule_version = 0 AND l.outcome IN ('DONE', 'GIVEN_UP') AND l.current
WHERE d.review_status <> 'REJECTED';

CREATE OR REPLACE VIEW quality_validator_queue AS
SELECT d.id AS unit_id, r.id IS NULL AND l.outcome IS DISTINCT FROM 'GIVEN_UP' AS pending
FROM documents d
LEFT JOIN execution_log l ON l.worker_name = 'quality-validator' AND l.unit_id = d.id AND l.rule_version = 0
    AND l.outcome IN ('DONE', 'GIVEN_UP') AND l.current
LEFT JOIN archive_worker_runs r ON r.id = l.run_id AND r.context_fingerprint = (SELECT worker_context('quality-validator'))
WHERE NOT human_decided(d.review_status);

CREATE OR REPLACE VIEW conflict_judge_queue AS
SELECT p.id AS unit_id, p.tag_id, p.entity_id, p.shared, p.total, q.id IS NULL AND l.unit_id IS NULL AS pending
FROM similar_pairs p
LEFT JOIN review_queue q ON q.kind = 'CONFLICT' AND q.tag_id = p.tag_id AND q.entity_id = p.entity_id
LEFT JOIN execution_log l ON l.worker_name = 'conflict-judge' AND l.unit_id = p.id AND l.rule_version = 0 AND l.outcome = 'GIVEN_UP' AND l.current
WHERE q.id IS NULL OR (q.decided_at IS NULL AND NOT EXISTS (SELECT FROM resolutions r WHERE r.review_id = q.id));

-- pending_fingerprint is the fingerprint of what a run of that configuration would read of a unit now, NULL when the unit does not wait for the worker.
CREATE FUNCTION pending_fingerprint(worker text, unit bigint, config jsonb) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT CASE worker
        WHEN 'ner' THEN (SELECT input_hash(composed_text(d, text_columns(config))) FROM ner_queue q JOIN documents d ON d.id = q.unit_id WHERE q.unit_id = unit AND q.pending)
        WHEN 'typology' THEN (SELECT input_hash(composed_text(d, text_columns(config))) FROM typology_queue q JOIN documents d ON d.id = q.unit_id WHERE q.unit_id = unit AND q.pending)
        WHEN 'embedding' THEN (SELECT input_hash(composed_text(d, text_columns('{}'))) FROM embedding_queue q JOIN documents d ON d.id = q.unit_id WHERE q.unit_id = unit AND q.pending)
        WHEN 'thumbnail' THEN (SELECT input_hash(coalesce(d.image_url, '')) FROM thumbnail_queue q JOIN documents d ON d.id = q.unit_id WHERE q.unit_id = unit AND q.pending)
        WHEN 'macro-category' THEN (SELECT input_hash(t.name) FROM macro_category_queue q JOIN tags t ON t.id = q.unit_id WHERE q.unit_id = unit AND q.pending)
        WHEN 'quality-validator' THEN (SELECT v.fingerprint FROM quality_validator_queue q JOIN validator_inputs v ON v.document_id = q.unit_id WHERE q.unit_id = unit AND q.pending)
        WHEN 'conflict-judge' THEN (SELECT input_hash(t.name || E'\n' || e.name || E'\n' || e.type) FROM conflict_judge_queue q
            JOIN tags t ON t.id = q.tag_id JOIN entities e ON e.id = q.entity_id WHERE q.unit_id = unit AND q.pending)
        END
$$;
