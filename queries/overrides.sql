-- ListOverrides returns every stored override.
-- name: ListOverrides :many
SELECT * FROM worker_overrides ORDER BY worker_name;

-- GetOverride returns the stored override of one worker.
-- name: GetOverride :one
SELECT * FROM worker_overrides WHERE worker_name = @worker_name;
