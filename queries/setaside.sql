-- NoteInWork notes the units that a process has taken up for a run, in place of those that it noted before.
-- name: NoteInWork :exec
INSERT INTO units_in_work (run_id, owner, unit_ids, unit_names) VALUES (@run_id, @owner, @unit_ids::bigint[], @unit_names::text[])
ON CONFLICT (run_id, owner) DO UPDATE SET unit_ids = excluded.unit_ids, unit_names = excluded.unit_names, server_started = excluded.server_started;

-- ForgetInWork forgets what a process had taken up: it lives, although it no longer has the run.
-- name: ForgetInWork :exec
DELETE FROM units_in_work WHERE run_id = @run_id AND owner = @owner;

-- ListSuspects returns the units of a worker that were in work when a process died.
-- name: ListSuspects :many
SELECT unit_id FROM unit_deaths WHERE worker_name = @worker_name ORDER BY unit_id;

-- ForgiveUnit clears a unit that did no harm.
-- name: ForgiveUnit :exec
DELETE FROM unit_deaths WHERE worker_name = @worker_name AND unit_id = @unit_id;

-- CountDeaths lays the death of each process whose run is over at the door of the units that it had in work, and gives those up that had enough of them, as
-- long as they wait. What was in work when the database itself was restarted is forgotten. What comes back was set aside.
-- name: CountDeaths :many
WITH dead AS (
    DELETE FROM units_in_work w WHERE EXISTS (SELECT FROM archive_worker_runs r WHERE r.id = w.run_id AND r.finished_at IS NOT NULL)
    RETURNING w.run_id, w.owner, w.unit_ids, w.unit_names, w.server_started
), units AS (
    SELECT r.worker_name, d.run_id, d.owner, unnest(d.unit_ids) AS unit_id, unnest(d.unit_names) AS unit_name
    FROM dead d JOIN archive_worker_runs r ON r.id = d.run_id WHERE d.server_started = pg_postmaster_start_time()
), counted AS (
    INSERT INTO unit_deaths (worker_name, unit_id, unit_name, deaths, run_id, owner)
    SELECT DISTINCT ON (u.worker_name, u.unit_id) u.worker_name, u.unit_id, u.unit_name, 1, u.run_id, u.owner FROM units u ORDER BY u.worker_name, u.unit_id, u.run_id DESC
    ON CONFLICT (worker_name, unit_id) DO UPDATE
    SET deaths = unit_deaths.deaths + 1, unit_name = excluded.unit_name, run_id = excluded.run_id, owner = excluded.owner
    RETURNING worker_name, unit_id, unit_name, deaths, run_id, owner
), aside AS (
    SELECT c.worker_name, c.unit_id, c.unit_name, c.deaths, c.run_id, c.owner, pending_fingerprint(c.worker_name, c.unit_id, r.config) AS fingerprint
    FROM counted c JOIN archive_worker_runs r ON r.id = c.run_id
    WHERE c.deaths >= sqlc.arg(enough)::integer
), stamped AS (
    INSERT INTO execution_log (worker_name, unit_kind, unit_id, rule_version, fingerprint, run_id, outcome, error)
    SELECT a.worker_name, CASE a.worker_name WHEN 'conflict-judge' THEN 'pair' WHEN 'macro-category' THEN 'tag' ELSE 'document' END, a.unit_id, 0, a.fingerprint, a.run_id, 'GIVEN_UP',
        'Set aside: ' || a.deaths || ' processes in a row died while this was in work, the last was ' || a.owner || '. It waits until somebody releases it.'
    FROM aside a WHERE a.fingerprint IS NOT NULL
    ON CONFLICT (worker_name, unit_id, rule_version) DO UPDATE
    SET fingerprint = excluded.fingerprint, run_id = excluded.run_id, outcome = excluded.outcome, error = excluded.error, current = true, held = false
    RETURNING worker_name, unit_id
)
SELECT s.worker_name, s.unit_id, a.unit_name, a.run_id FROM stamped s JOIN aside a USING (worker_name, unit_id) ORDER BY s.worker_name, s.unit_id;

-- ListSetAside returns the units of a worker that are set aside.
-- name: ListSetAside :many
SELECT d.unit_id, d.unit_name, d.deaths, d.run_id, d.owner
FROM unit_deaths d
JOIN execution_log l ON l.worker_name = d.worker_name AND l.unit_id = d.unit_id AND l.rule_version = 0 AND l.outcome = 'GIVEN_UP' AND l.current
WHERE d.worker_name = @worker_name AND d.deaths >= sqlc.arg(enough)::integer
ORDER BY d.unit_id;

-- ReleaseUnits makes units that are set aside wait again: one of them, or with 0 all.
-- name: ReleaseUnits :many
WITH released AS (
    DELETE FROM unit_deaths d
    WHERE d.worker_name = @worker_name AND d.deaths >= sqlc.arg(enough)::integer AND (@unit_id::bigint = 0 OR d.unit_id = @unit_id)
    RETURNING d.worker_name, d.unit_id, d.unit_name
), dropped AS (
    DELETE FROM execution_log l USING released r WHERE l.worker_name = r.worker_name AND l.unit_id = r.unit_id AND l.rule_version = 0 AND l.outcome = 'GIVEN_UP'
)
SELECT r.unit_id, r.unit_name FROM released r ORDER BY r.unit_id;
