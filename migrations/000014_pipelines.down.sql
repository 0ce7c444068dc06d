ALTER TABLE archive_worker_runs DROP COLUMN pipeline_id;
DROP TABLE pipelines;
