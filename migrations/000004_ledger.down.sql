DROP TABLE worker_overrides;
DROP TABLE worker_override_revisions;
DROP FUNCTION worker_override_revisions_are_final();
DROP TABLE archive_worker_runs;
DROP FUNCTION runs_are_never_deleted();
DROP FUNCTION runs_stay_finished();
