-- NextRunID draws the id of a run before its row exists, so that its owner can take the lock first.
-- name: NextRunID :one
SELECT nextval(pg_get_serial_sequence('archive_worker_runs', 'id'))::bigint;

-- InsertRun writes a QUEUED row; the partial unique index refuses a second run in flight.
-- name: InsertRun :exec
INSERT INTO archive_worker_runs (id, worker_name, status, trigger, requested_by, config, config_fingerprint, dry_run, pipeline_id)
VALUES (@id, @worker_name, 'QUEUED', @trigger, @requested_by, @config, @config_fingerprint, @dry_run, sqlc.narg(pipeline_id));

-- SetRunJob notes which queue job carries the run.
-- name: SetRunJob :exec
UPDATE archive_worker_runs SET job_id = @job_id WHERE id = @id;

-- StartRun turns QUEUED into RUNNING; no row means that the run is no longer queued.
-- name: StartRun :execrows
UPDATE archive_worker_runs
SET status = 'RUNNING', started_at = clock_timestamp(), heartbeat_at = clock_timestamp(), owner = @owner,
    total = @total, context_fingerprint = worker_context(worker_name)
WHERE id = @id AND status = 'QUEUED';

-- SaveProgress stores what a run has done so far and returns whether somebody asked it to stop; no row means that it is over. What batches counted as they
-- committed may be ahead of what the process knows.
-- name: SaveProgress :one
UPDATE archive_worker_runs
SET processed = greatest(processed, @processed::bigint), failed = greatest(failed, @failed::bigint), skipped = greatest(skipped, @skipped::bigint),
    notes = @notes, current_unit = sqlc.narg(current_unit), heartbeat_at = clock_timestamp(),
    last_progress_at = CASE WHEN @processed::bigint > processed OR @failed::bigint > failed OR @skipped::bigint > skipped THEN clock_timestamp() ELSE last_progress_at END
WHERE id = @id AND status = 'RUNNING'
RETURNING (cancel_requested_at IS NOT NULL)::boolean AS cancelled;

-- CountBatch adds what a batch did to its run, and keeps the run from ending before this transaction does; no row means that it is over.
-- name: CountBatch :execrows
UPDATE archive_worker_runs
SET processed = processed + @processed, failed = failed + @failed, skipped = skipped + @skipped, last_progress_at = clock_timestamp()
WHERE id = @id AND status = 'RUNNING';

-- FinishRun writes the outcome; no row means that the run already has one, which stays. Who writes it lives: nothing was in work at a death.
-- name: FinishRun :execrows
WITH alive AS (DELETE FROM units_in_work WHERE run_id = @id)
UPDATE archive_worker_runs
SET status = @status, finished_at = clock_timestamp(), error = sqlc.narg(error),
    processed = greatest(processed, @processed::bigint), failed = greatest(failed, @failed::bigint), skipped = greatest(skipped, @skipped::bigint), notes = @notes
WHERE id = @id AND status IN ('QUEUED', 'RUNNING');

-- InterruptRuns ends runs whose lock nobody holds, each with its own reason, and keeps their last counts. It holds the lock of each until it commits, so that
-- an owner that is just starting is never in the way. What comes back was ended.
-- name: InterruptRuns :many
UPDATE archive_worker_runs r
SET status = 'INTERRUPTED', finished_at = clock_timestamp(), error = u.reason
FROM (SELECT unnest(@ids::bigint[]) AS id, unnest(@reasons::text[]) AS reason) u
WHERE r.id = u.id AND r.status IN ('QUEUED', 'RUNNING') AND pg_try_advisory_xact_lock(u.id + sqlc.arg(lock_base)::bigint)
RETURNING r.id;

-- GetRun returns one row of the ledger.
-- name: GetRun :one
SELECT * FROM archive_worker_runs WHERE id = @id;

-- GetRunInFlight returns the queued or running run of a worker.
-- name: GetRunInFlight :one
SELECT * FROM archive_worker_runs WHERE worker_name = @worker_name AND status IN ('QUEUED', 'RUNNING');

-- ListRuns returns the ledger, newest first, below an id. An empty filter matches everything.
-- name: ListRuns :many
SELECT * FROM archive_worker_runs
WHERE (@worker_name::text = '' OR worker_name = @worker_name)
    AND (@status::text = '' OR status = @status)
    AND (@fingerprint::text = '' OR error_fingerprint = @fingerprint)
    AND (@before::bigint = 0 OR id < @before)
ORDER BY id DESC
LIMIT @max_rows;

-- ListRunsAbove returns the page above an id, oldest first.
-- name: ListRunsAbove :many
SELECT * FROM archive_worker_runs
WHERE (@worker_name::text = '' OR worker_name = @worker_name)
    AND (@status::text = '' OR status = @status)
    AND (@fingerprint::text = '' OR error_fingerprint = @fingerprint)
    AND id > @after
ORDER BY id
LIMIT @max_rows;

-- LatestRuns returns, for each worker asked for, the run in flight and the last finished one.
-- name: LatestRuns :many
SELECT r.* FROM unnest(@workers::text[]) AS w (name)
CROSS JOIN LATERAL (
    (SELECT * FROM archive_worker_runs a WHERE a.worker_name = w.name AND a.status IN ('QUEUED', 'RUNNING'))
    UNION ALL
    (SELECT * FROM archive_worker_runs f WHERE f.worker_name = w.name AND f.finished_at IS NOT NULL ORDER BY f.id DESC LIMIT 1)
) AS r;

-- NeighbourRuns returns the runs of a worker just before and after one.
-- name: NeighbourRuns :one
SELECT coalesce((SELECT max(p.id) FROM archive_worker_runs p WHERE p.worker_name = @worker_name AND p.id < @id), 0)::bigint AS previous,
    coalesce((SELECT min(n.id) FROM archive_worker_runs n WHERE n.worker_name = @worker_name AND n.id > @id), 0)::bigint AS following;

-- CancelRun asks a running run to stop and ends a queued one at once; no row means that it is over.
-- name: CancelRun :one
UPDATE archive_worker_runs
SET cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()), cancel_requested_by = coalesce(cancel_requested_by, @by),
    status = CASE status WHEN 'QUEUED' THEN 'CANCELLED' ELSE status END,
    finished_at = CASE status WHEN 'QUEUED' THEN clock_timestamp() END
WHERE id = @id AND status IN ('QUEUED', 'RUNNING')
RETURNING *;

-- ListInFlight returns every queued or running row above an id with what recovery must know: whether somebody holds its lock, and
-- whether its job can still be picked up.
-- name: ListInFlight :many
SELECT r.id, r.worker_name, r.status, r.owner, r.heartbeat_at, r.queued_at, r.job_id, r.current_unit,
    ARRAY(SELECT unnest(w.unit_names) FROM units_in_work w WHERE w.run_id = r.id AND w.server_started = pg_postmaster_start_time() LIMIT sqlc.arg(named))::text[] AS in_work,
    (SELECT coalesce(sum(cardinality(w.unit_ids)), 0) FROM units_in_work w WHERE w.run_id = r.id AND w.server_started = pg_postmaster_start_time())::bigint AS units_in_work,
    lock_is_held(r.id + sqlc.arg(lock_base)::bigint) AS held
FROM archive_worker_runs r
WHERE r.status IN ('QUEUED', 'RUNNING') AND r.id > @after
ORDER BY r.id
LIMIT @max_rows;

-- ListUnitFailures returns the units whose last stamp, by this run, is a failure, above a unit.
-- name: ListUnitFailures :many
SELECT l.unit_id, coalesce(d.reference_code, s.description_id, t.name || coalesce(' / ' || e.name, ''), l.unit_id::text)::text AS unit_name, coalesce(l.error, '')::text AS error
FROM execution_log l
LEFT JOIN staging_records s ON l.unit_kind IN ('staging', 'document') AND s.id = l.unit_id
LEFT JOIN documents d ON l.unit_kind = 'document' AND d.id = l.unit_id
LEFT JOIN similar_pairs p ON l.unit_kind = 'pair' AND p.id = l.unit_id
LEFT JOIN tags t ON t.id = CASE l.unit_kind WHEN 'tag' THEN l.unit_id ELSE p.tag_id END
LEFT JOIN entities e ON e.id = p.entity_id
WHERE l.worker_name = @worker_name AND l.outcome IN ('FAILED', 'GIVEN_UP') AND l.run_id = @run_id AND l.unit_id > @after
ORDER BY l.unit_id
LIMIT @max_rows;

-- ListChanges returns what a run changed, first changes first, above a journal id.
-- name: ListChanges :many
SELECT j.id, j.unit_kind, j.unit_id, j.field, j.before, j.after,
    coalesce(d.reference_code, d.description_id, t.name, CASE WHEN j.field IN ('became_tag', 'became_entity') THEN j.before END, j.unit_id::text)::text AS unit_name,
    coalesce(r.name, '')::text AS rule_name
FROM change_journal j
LEFT JOIN documents d ON j.unit_kind = 'document' AND d.id = j.unit_id
LEFT JOIN tags t ON j.unit_kind = 'tag' AND t.id = j.unit_id
LEFT JOIN cleaning_rules r ON r.id = j.rule_id
WHERE j.run_id = @run_id AND j.id > @after
ORDER BY j.id
LIMIT @max_rows;
