-- ListOverrides returns every stored override.
-- name: ListOverrides :many
SELECT * FROM worker_overrides ORDER BY worker_name;

-- GetOverride returns the stored override of one worker.
-- name: GetOverride :one
SELECT * FROM worker_overrides WHERE worker_name = @worker_name;

-- LockOverride lets one editor of a worker's override at a time go on, until its transaction ends.
-- name: LockOverride :exec
SELECT pg_advisory_xact_lock(hashtextextended('scrinalia: settings of ' || @worker_name::text, 0));

-- InsertRevision notes a change of an override.
-- name: InsertRevision :exec
INSERT INTO worker_override_revisions (worker_name, version, changed_by, channel, note, before, after, restored_from)
VALUES (@worker_name, @version, @changed_by, @channel, @note, @before, @after, sqlc.narg(restored_from));

-- PutOverride moves a worker's override on to a revision.
-- name: PutOverride :exec
INSERT INTO worker_overrides (worker_name, version, settings) VALUES (@worker_name, @version, @settings)
ON CONFLICT (worker_name) DO UPDATE SET version = EXCLUDED.version, settings = EXCLUDED.settings;

-- GetRevision returns one revision of a worker's override.
-- name: GetRevision :one
SELECT * FROM worker_override_revisions WHERE worker_name = @worker_name AND version = @version;

-- ListRevisions returns a page of revisions, newest first. Empty filters match everything.
-- name: ListRevisions :many
SELECT * FROM worker_override_revisions r
WHERE r.worker_name = @worker_name
  AND (@before::bigint = 0 OR r.version < @before)
  AND (@changed_by::text = '' OR r.changed_by = @changed_by)
  AND (@field::text = '' OR setting_of(r.before, @field) IS DISTINCT FROM setting_of(r.after, @field))
ORDER BY r.version DESC LIMIT @max_rows;

-- ListEditors returns who changed a worker's override, by name, at most so many. Each name is one step in the index, however many
-- revisions it has.
-- name: ListEditors :many
WITH RECURSIVE editors AS (
    (SELECT r.changed_by FROM worker_override_revisions r WHERE r.worker_name = @worker_name ORDER BY r.changed_by LIMIT 1)
    UNION ALL
    SELECT (SELECT n.changed_by FROM worker_override_revisions n
            WHERE n.worker_name = @worker_name AND n.changed_by > e.changed_by ORDER BY n.changed_by LIMIT 1)
    FROM editors e WHERE e.changed_by IS NOT NULL
)
SELECT coalesce(e.changed_by, '')::text FROM editors e WHERE e.changed_by IS NOT NULL LIMIT @max_rows;
