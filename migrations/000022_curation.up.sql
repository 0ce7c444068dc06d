-- What curators own, rules and vocabularies, gets a history: each change is a revision, and each entry knows which one it is at.
-- Revision 0 is an entry that came with the program, with a decision in the reviews, or before this history.
ALTER TABLE cleaning_rules ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE typologies ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE subject_categories ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE levels ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE stopwords ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE synonyms ADD COLUMN revision bigint NOT NULL DEFAULT 0;
ALTER TABLE exclusions ADD COLUMN revision bigint NOT NULL DEFAULT 0;

-- The key of an entry's revision is the optimistic lock: two editors of one revision cannot both insert the next. id orders the changes of a list.
CREATE TABLE curation_revisions (
    id            bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT curation_revisions_one_per_id UNIQUE,
    list          text        NOT NULL CONSTRAINT curation_revisions_list_is_known
                  CHECK (list IN ('rules', 'typologies', 'categories', 'levels', 'stopwords', 'synonyms', 'exclusions')),
    entry_id      integer     NOT NULL,
    revision      bigint      NOT NULL CONSTRAINT curation_revisions_count_from_one CHECK (revision >= 1),
    changed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_by    text        NOT NULL,
    channel       text        NOT NULL CONSTRAINT curation_revisions_channel_is_known CHECK (channel IN ('PANEL', 'CLI', 'API')),
    note          text        NOT NULL DEFAULT '',
    before        jsonb,
    after         jsonb       NOT NULL,
    restored_from bigint      CONSTRAINT curation_revisions_restore_older CHECK (restored_from < revision),
    CONSTRAINT curation_revisions_one_per_revision PRIMARY KEY (list, entry_id, revision)
);
CREATE INDEX curation_revisions_by_list ON curation_revisions (list, id);

CREATE FUNCTION curation_revisions_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'revisions of rules and vocabularies are never changed or deleted'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'curation_revisions_are_final';
END $$;
CREATE TRIGGER curation_revisions_are_final BEFORE UPDATE OR DELETE OR TRUNCATE ON curation_revisions
    FOR EACH STATEMENT EXECUTE FUNCTION curation_revisions_are_final();

-- How many descriptions a rule has rewritten.
CREATE INDEX change_journal_by_rule ON change_journal (rule_id, unit_id) WHERE rule_id IS NOT NULL;

-- curation_entries is every entry of every list, with its fields as JSON.
CREATE VIEW curation_entries AS
SELECT 'rules' AS list, id, revision, active, jsonb_build_object('name', name, 'kind', kind, 'target_column', target_column, 'pattern', pattern, 'replacement', replacement,
    'case_sensitive', case_sensitive, 'engine', coalesce(engine, ''), 'preset', coalesce(preset, ''), 'position', position) AS fields FROM cleaning_rules
UNION ALL SELECT 'typologies', id, revision, retired_at IS NULL, jsonb_build_object('name', name) FROM typologies
UNION ALL SELECT 'categories', id, revision, retired_at IS NULL, jsonb_build_object('name', name, 'classifier_label', coalesce(classifier_label, '')) FROM subject_categories
UNION ALL SELECT 'levels', id, revision, retired_at IS NULL, jsonb_build_object('name', name, 'position', position, 'needs_parent', needs_parent, 'is_leaf', is_leaf) FROM levels
UNION ALL SELECT 'stopwords', id, revision, retired_at IS NULL, jsonb_build_object('term', term, 'scope', scope) FROM stopwords
UNION ALL SELECT 'synonyms', id, revision, retired_at IS NULL, jsonb_build_object('term', term, 'canonical', canonical, 'scope', scope) FROM synonyms
UNION ALL SELECT 'exclusions', id, revision, retired_at IS NULL, jsonb_build_object('term', term, 'kind', kind) FROM exclusions;
