DROP TABLE failure_acknowledgements;
DROP VIEW failures;
DROP TABLE server_errors;
DROP TRIGGER note_unit_failures_insert ON execution_log;
DROP TRIGGER note_unit_failures_update ON execution_log;
DROP FUNCTION note_unit_failures();
DROP TABLE unit_failures;
DROP INDEX runs_failed_by_time;
