-- AddProcess notes a process.
-- name: AddProcess :one
INSERT INTO processes (owner, host, pid, role, version, concurrency) VALUES (@owner, @host, @pid, @role, @version, @concurrency) RETURNING id;

-- ListProcesses returns the processes whose lock somebody holds, with the runs that each executes.
-- name: ListProcesses :many
SELECT p.owner, p.host, p.pid, p.role, p.version, p.concurrency, p.started_at,
    ARRAY(SELECT r.id FROM archive_worker_runs r WHERE r.status = 'RUNNING' AND r.owner = p.owner ORDER BY r.id)::bigint[] AS runs
FROM processes p
WHERE lock_is_held(p.id + sqlc.arg(lock_base)::bigint)
ORDER BY p.id;

-- DropDeadProcesses forgets the processes whose lock nobody holds, but for those that have just been noted.
-- name: DropDeadProcesses :exec
DELETE FROM processes p WHERE p.started_at < now() - interval '1 minute' AND NOT lock_is_held(p.id + sqlc.arg(lock_base)::bigint);

-- CountAbandoned says how many runs are queued, and how many processes that execute runs are alive when some are.
-- name: CountAbandoned :one
WITH waiting AS MATERIALIZED (SELECT count(*) AS n FROM archive_worker_runs WHERE status = 'QUEUED')
SELECT w.n::bigint AS queued, CASE WHEN w.n = 0 THEN 0 ELSE (SELECT count(*) FROM processes p WHERE lock_is_held(p.id + sqlc.arg(lock_base)::bigint)) END::bigint AS processes
FROM waiting w;
