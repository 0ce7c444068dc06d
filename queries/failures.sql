-- ListFailures returns the causes that were seen after a moment, the last seen first, with counts up to 30 days back.
-- name: ListFailures :many
WITH causes AS (
    SELECT f.kind, f.fingerprint,
        coalesce(sum(f.n) FILTER (WHERE f.at > sqlc.arg(now)::timestamptz - interval '1 hour'), 0)::bigint AS last_hour,
        coalesce(sum(f.n) FILTER (WHERE f.at > sqlc.arg(now)::timestamptz - interval '1 day'), 0)::bigint AS last_day,
        coalesce(sum(f.n) FILTER (WHERE f.at > sqlc.arg(now)::timestamptz - interval '7 days'), 0)::bigint AS last_week,
        coalesce(sum(f.n) FILTER (WHERE f.at > sqlc.arg(now)::timestamptz - interval '30 days'), 0)::bigint AS last_month,
        max(f.at)::timestamptz AS last_at, max(f.run_id)::bigint AS run_id,
        coalesce(array_agg(DISTINCT f.worker_name) FILTER (WHERE f.worker_name <> ''), '{}')::text[] AS workers,
        coalesce(array_agg(DISTINCT f.route) FILTER (WHERE f.route <> ''), '{}')::text[] AS routes
    FROM failures f
    WHERE f.at > least(sqlc.arg(since)::timestamptz, sqlc.arg(now)::timestamptz - interval '30 days') AND (@worker_name::text = '' OR f.worker_name = @worker_name)
    GROUP BY f.kind, f.fingerprint
    HAVING max(f.at) > sqlc.arg(since)::timestamptz
    ORDER BY max(f.at) DESC, f.kind, f.fingerprint
    LIMIT @max_rows
)
SELECT c.kind, coalesce(c.fingerprint, '')::text AS fingerprint, c.last_hour, c.last_day, c.last_week, c.last_month, c.last_at, c.run_id, c.workers, c.routes,
    coalesce(CASE c.kind
        WHEN 'RUN' THEN (SELECT r.finished_at FROM archive_worker_runs r WHERE r.error_fingerprint = c.fingerprint AND r.finished_at IS NOT NULL ORDER BY r.id LIMIT 1)
        WHEN 'UNIT' THEN (SELECT u.at FROM unit_failures u WHERE u.fingerprint = c.fingerprint ORDER BY u.run_id LIMIT 1)
        ELSE (SELECT s.at FROM server_errors s WHERE s.fingerprint = c.fingerprint ORDER BY s.at LIMIT 1)
    END, c.last_at)::timestamptz AS first_at,
    coalesce(CASE c.kind
        WHEN 'RUN' THEN (SELECT r.error FROM archive_worker_runs r WHERE r.id = c.run_id)
        WHEN 'UNIT' THEN (SELECT u.message FROM unit_failures u WHERE u.run_id = c.run_id AND u.fingerprint = c.fingerprint)
        ELSE (SELECT s.message FROM server_errors s WHERE s.fingerprint = c.fingerprint ORDER BY s.at DESC LIMIT 1)
    END, '')::text AS message,
    coalesce(CASE c.kind WHEN 'REQUEST' THEN (SELECT s.request_id FROM server_errors s WHERE s.fingerprint = c.fingerprint ORDER BY s.at DESC LIMIT 1) END, '')::text AS request_id,
    coalesce(a.seen_at, 'epoch')::timestamptz AS seen_at, coalesce(a.acknowledged_at, 'epoch')::timestamptz AS acknowledged_at,
    coalesce(a.acknowledged_by, '')::text AS acknowledged_by, coalesce(a.note, '')::text AS note
FROM causes c
LEFT JOIN LATERAL (
    SELECT k.seen_at, k.acknowledged_at, k.acknowledged_by, k.note FROM failure_acknowledgements k
    WHERE k.kind = c.kind AND k.fingerprint = c.fingerprint ORDER BY k.id DESC LIMIT 1
) a ON true
ORDER BY c.last_at DESC, c.kind, c.fingerprint;

-- LastFailure returns when a cause was seen last, nothing when it never was.
-- name: LastFailure :one
SELECT f.at FROM failures f WHERE f.kind = @kind AND f.fingerprint = @fingerprint AND f.at IS NOT NULL ORDER BY f.at DESC LIMIT 1;

-- AcknowledgeFailure notes that a person has seen a cause.
-- name: AcknowledgeFailure :one
INSERT INTO failure_acknowledgements (kind, fingerprint, seen_at, acknowledged_by, channel, note)
VALUES (@kind, @fingerprint, @seen_at, @acknowledged_by, @channel, @note) RETURNING acknowledged_at;

-- NoteServerError counts errors of one cause, route and worker.
-- name: NoteServerError :exec
INSERT INTO server_errors AS s (minute, fingerprint, route, worker_name, n, at, request_id, message)
VALUES (date_trunc('minute', @at::timestamptz), coalesce(error_fingerprint(@message::text), ''), @route, @worker_name, @n, @at, @request_id, @message)
ON CONFLICT (minute, fingerprint, route, worker_name) DO UPDATE
SET n = s.n + excluded.n, at = greatest(s.at, excluded.at), request_id = excluded.request_id, message = excluded.message;

-- ForgetServerErrors deletes those before a moment, and the oldest beyond a number of rows.
-- name: ForgetServerErrors :exec
DELETE FROM server_errors s WHERE s.at < @before::timestamptz
    OR s.at < (SELECT o.at FROM server_errors o ORDER BY o.at DESC OFFSET sqlc.arg(keep)::int LIMIT 1);

-- ForgetUnitFailures deletes those before a moment.
-- name: ForgetUnitFailures :exec
DELETE FROM unit_failures u WHERE u.at < @before::timestamptz;
