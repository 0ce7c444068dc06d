-- NextPipelineID draws the id of a pipeline before its row exists, so that its owner can take the lock first.
-- name: NextPipelineID :one
SELECT nextval(pg_get_serial_sequence('pipelines', 'id'))::bigint;

-- InsertPipeline writes a pipeline under way; the unique index refuses a second one.
-- name: InsertPipeline :exec
INSERT INTO pipelines (id, trigger, requested_by, workers, arguments, here) VALUES (@id, @trigger, @requested_by, @workers, @arguments, @here);

-- GetPipeline returns a pipeline.
-- name: GetPipeline :one
SELECT * FROM pipelines WHERE id = @id;

-- LockPipeline keeps others from doing the next step of a pipeline.
-- name: LockPipeline :one
SELECT * FROM pipelines WHERE id = @id FOR UPDATE;

-- ListActivePipelines returns the pipeline under way, with whether the process that does it is alive.
-- name: ListActivePipelines :many
SELECT p.id, p.here, lock_is_held(p.id + sqlc.arg(lock_base)::bigint) AS held FROM pipelines p WHERE p.finished_at IS NULL;

-- ListPipelineRuns returns the runs of a pipeline, in order.
-- name: ListPipelineRuns :many
SELECT * FROM archive_worker_runs WHERE pipeline_id = @pipeline_id ORDER BY id;

-- FinishPipeline writes how a pipeline ended; no row means that it had ended before.
-- name: FinishPipeline :execrows
UPDATE pipelines SET status = @status, finished_at = clock_timestamp(), error = sqlc.narg(error) WHERE id = @id AND finished_at IS NULL;

-- CancelPipeline notes that a pipeline is to stop; no row means that it is over.
-- name: CancelPipeline :execrows
UPDATE pipelines SET cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp()), cancel_requested_by = coalesce(cancel_requested_by, @by)
WHERE id = @id AND finished_at IS NULL;
