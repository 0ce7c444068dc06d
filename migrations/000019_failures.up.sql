-- Failures by cause: runs and units that failed, and server errors, grouped by the fingerprint of their message (docs/operations.md).

-- The failures of a span of time, without a look at the ledger's rows.
CREATE INDEX runs_failed_by_time ON archive_worker_runs (finished_at) INCLUDE (error_fingerprint, worker_name, id) WHERE error_fingerprint IS NOT NULL;

-- unit_failures says how many units failed in a run, a row a cause. A stamp only knows how its unit ended last.
CREATE TABLE unit_failures (
    run_id      bigint      NOT NULL,
    fingerprint text        NOT NULL,
    worker_name text        NOT NULL,
    at          timestamptz NOT NULL, -- the last of them
    n           bigint      NOT NULL,
    message     text        NOT NULL,
    CONSTRAINT unit_failures_one_per_run_and_cause PRIMARY KEY (run_id, fingerprint)
);
CREATE INDEX unit_failures_by_time ON unit_failures (at);
CREATE INDEX unit_failures_by_cause ON unit_failures (fingerprint, run_id);

INSERT INTO unit_failures (run_id, fingerprint, worker_name, at, n, message)
SELECT l.run_id, coalesce(error_fingerprint(l.error), ''), min(l.worker_name), coalesce(min(r.finished_at), min(r.last_progress_at), min(r.queued_at)), count(*), max(l.error)
FROM execution_log l JOIN archive_worker_runs r ON r.id = l.run_id
WHERE l.error IS NOT NULL GROUP BY 1, 2;

-- note_unit_failures counts the stamps that a run has just written, and not those whose flags alone were changed.
CREATE FUNCTION note_unit_failures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM new_rows WHERE error IS NOT NULL) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO unit_failures AS u (run_id, fingerprint, worker_name, at, n, message)
        SELECT run_id, coalesce(error_fingerprint(error), ''), min(worker_name), clock_timestamp(), count(*), max(error)
        FROM new_rows WHERE error IS NOT NULL GROUP BY 1, 2
        ON CONFLICT (run_id, fingerprint) DO UPDATE SET n = u.n + excluded.n, at = excluded.at, message = excluded.message;
    ELSE
        INSERT INTO unit_failures AS u (run_id, fingerprint, worker_name, at, n, message)
        SELECT c.run_id, coalesce(error_fingerprint(c.error), ''), min(c.worker_name), clock_timestamp(), count(*), max(c.error)
        FROM new_rows c JOIN old_rows o USING (worker_name, unit_id, rule_version)
        WHERE c.error IS NOT NULL AND c.run_id <> o.run_id GROUP BY 1, 2
        ON CONFLICT (run_id, fingerprint) DO UPDATE SET n = u.n + excluded.n, at = excluded.at, message = excluded.message;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER note_unit_failures_insert AFTER INSERT ON execution_log REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION note_unit_failures();
CREATE TRIGGER note_unit_failures_update AFTER UPDATE ON execution_log REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION note_unit_failures();

-- server_errors: a row a minute, cause, route and worker, so that a flood of one error is a row a minute.
CREATE TABLE server_errors (
    minute      timestamptz NOT NULL,
    fingerprint text        NOT NULL,
    route       text        NOT NULL, -- with its method: GET /workers/:name
    worker_name text        NOT NULL DEFAULT '',
    n           bigint      NOT NULL CONSTRAINT server_errors_happened CHECK (n > 0),
    at          timestamptz NOT NULL, -- the last of them
    request_id  text        NOT NULL, -- of the last
    message     text        NOT NULL,
    CONSTRAINT server_errors_one_per_minute_and_cause PRIMARY KEY (minute, fingerprint, route, worker_name)
);
CREATE INDEX server_errors_by_time ON server_errors (at);
CREATE INDEX server_errors_by_cause ON server_errors (fingerprint, at);

-- failures: every failure with its time. n is how many runs, units or requests it stands for.
CREATE VIEW failures AS
SELECT 'RUN' AS kind, r.error_fingerprint AS fingerprint, r.worker_name, ''::text AS route, r.finished_at AS at, 1::bigint AS n, r.id AS run_id
FROM archive_worker_runs r WHERE r.error_fingerprint IS NOT NULL
UNION ALL
SELECT 'UNIT', u.fingerprint, u.worker_name, ''::text, u.at, u.n, u.run_id FROM unit_failures u
UNION ALL
SELECT 'REQUEST', s.fingerprint, s.worker_name, s.route, s.at, s.n, 0::bigint FROM server_errors s;

-- Who has seen a cause, up to which moment; a later failure of the same cause asks for attention again. The last row of a cause counts.
CREATE TABLE failure_acknowledgements (
    id              bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind            text        NOT NULL CONSTRAINT failure_acknowledgements_kind_is_known CHECK (kind IN ('RUN', 'UNIT', 'REQUEST')),
    fingerprint     text        NOT NULL,
    seen_at         timestamptz NOT NULL,
    acknowledged_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    acknowledged_by text        NOT NULL CONSTRAINT failure_acknowledgements_by_somebody CHECK (acknowledged_by <> ''),
    channel         text        NOT NULL CONSTRAINT failure_acknowledgements_channel_is_known CHECK (channel IN ('PANEL', 'CLI', 'API')),
    note            text        NOT NULL DEFAULT ''
);
CREATE INDEX failure_acknowledgements_by_cause ON failure_acknowledgements (kind, fingerprint, id);
