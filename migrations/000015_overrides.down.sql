DROP FUNCTION setting_of(jsonb, text);
DROP INDEX worker_override_revisions_by_person;
ALTER TABLE worker_override_revisions DROP CONSTRAINT worker_override_revisions_restore_older;
ALTER TABLE worker_override_revisions DROP COLUMN restored_from;
