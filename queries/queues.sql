-- CountQueues returns every queue's figures from the tallies. Stale are stamps of another configuration than the effective one,
-- which the caller gives for each worker.
-- name: CountQueues :many
SELECT e.worker_name, e.eligible,
    coalesce(sum(s.done), 0)::bigint AS done,
    coalesce(sum(s.settled), 0)::bigint AS settled,
    coalesce(sum(s.failed), 0)::bigint AS failed,
    coalesce(sum(s.given_up), 0)::bigint AS given_up,
    coalesce(sum(s.done + s.settled) FILTER (WHERE s.config_fingerprint IS DISTINCT FROM c.config_fingerprint), 0)::bigint AS stale
FROM queue_eligible e
LEFT JOIN (SELECT unnest(@workers::text[]) AS worker_name, unnest(@config_fingerprints::bytea[]) AS config_fingerprint) AS c ON c.worker_name = e.worker_name
LEFT JOIN queue_stamped s ON s.worker_name = e.worker_name
GROUP BY e.worker_name, e.eligible;

-- CompactTally folds the tallies' differences into one row a measure.
-- name: CompactTally :exec
SELECT compact_queue_tally();

-- TallyRows says how many rows the tallies have.
-- name: TallyRows :one
SELECT count(*) FROM queue_tally;

-- StampUnits writes or renews the stamps of units. One that failed and is settled is given up.
-- name: StampUnits :exec
INSERT INTO execution_log (worker_name, unit_kind, unit_id, rule_version, fingerprint, run_id, outcome, error)
SELECT @worker_name, @unit_kind, u.unit_id, u.rule_version, u.fingerprint, @run_id,
    CASE WHEN u.error <> '' AND u.settled THEN 'GIVEN_UP' WHEN u.error <> '' THEN 'FAILED' WHEN u.settled THEN 'SETTLED' ELSE 'DONE' END, nullif(u.error, '')
FROM (SELECT unnest(@unit_ids::bigint[]) AS unit_id, unnest(@rule_versions::bigint[]) AS rule_version,
    unnest(@fingerprints::bytea[]) AS fingerprint, unnest(@errors::text[]) AS error, unnest(@settled::boolean[]) AS settled) AS u
ON CONFLICT (worker_name, unit_id, rule_version) DO UPDATE
SET fingerprint = excluded.fingerprint, run_id = excluded.run_id, outcome = excluded.outcome, error = excluded.error,
    current = true, held = false;

-- CountCollection says how much there is at all: an empty archive shows the first-start page.
-- name: CountCollection :one
SELECT EXISTS (SELECT FROM staging_records) AS has_records;

-- ListStale returns the configurations, other than the effective one, that units of a worker were processed with.
-- name: ListStale :many
SELECT g.units::bigint AS units, r.config
FROM (
    SELECT s.config_fingerprint, sum(s.done + s.settled) AS units, max(s.run_id) AS run_id
    FROM queue_stamped s
    WHERE s.worker_name = @worker_name AND s.config_fingerprint IS DISTINCT FROM @config_fingerprint
    GROUP BY s.config_fingerprint HAVING sum(s.done + s.settled) > 0
) g
JOIN archive_worker_runs r ON r.id = g.run_id
ORDER BY g.units DESC, r.id DESC
LIMIT @max_rows;
