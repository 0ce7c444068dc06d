-- Where a revision of settings came from, and who made revisions.
ALTER TABLE worker_override_revisions ADD COLUMN restored_from bigint;
ALTER TABLE worker_override_revisions ADD CONSTRAINT worker_override_revisions_restore_older CHECK (restored_from < version);

CREATE INDEX worker_override_revisions_by_person ON worker_override_revisions (worker_name, changed_by, version);

-- setting_of is the value of one setting in an override: engine, preset, batch_size, or an option.
CREATE FUNCTION setting_of(settings jsonb, field text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN field IN ('engine', 'preset', 'batch_size') THEN settings -> field ELSE settings -> 'options' -> field END $$;
