-- ListEntries returns a list, or the one entry of that id when it is not 0.
-- name: ListEntries :many
SELECT id, revision, active::boolean AS active, fields FROM curation_entries WHERE list = @list::text AND (@id::integer = 0 OR id = @id) ORDER BY id;

-- LockCuration lets one editor of rules and vocabularies at a time go on, until its transaction ends.
-- name: LockCuration :exec
SELECT pg_advisory_xact_lock(hashtextextended('scrinalia: curation', 0));

-- InsertEntryRevision notes a change of an entry.
-- name: InsertEntryRevision :exec
INSERT INTO curation_revisions (list, entry_id, revision, changed_by, channel, note, before, after, restored_from)
VALUES (@list, @entry_id, @revision, @changed_by, @channel, @note, sqlc.narg(before), @after, sqlc.narg(restored_from));

-- ListEntryRevisions returns a page of the revisions of a list or of one entry, newest first.
-- name: ListEntryRevisions :many
SELECT * FROM curation_revisions r
WHERE r.list = @list AND (@entry_id::integer = 0 OR r.entry_id = @entry_id) AND (@before_id::bigint = 0 OR r.id < @before_id)
ORDER BY r.id DESC LIMIT @max_rows;

-- GetEntryRevision returns one revision.
-- name: GetEntryRevision :one
SELECT * FROM curation_revisions WHERE list = @list AND entry_id = @entry_id AND revision = @revision;

-- PutRule adds a rule, or moves one on to a revision.
-- name: PutRule :one
INSERT INTO cleaning_rules AS r (id, name, kind, target_column, pattern, replacement, case_sensitive, engine, preset, position, active, revision)
VALUES (coalesce(nullif(@id::integer, 0), nextval('cleaning_rules_id_seq')::integer), @name, @kind, @target_column, @pattern, @replacement, @case_sensitive,
    nullif(@engine::text, ''), nullif(@preset::text, ''), @position, @active, @revision)
ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, kind = EXCLUDED.kind, target_column = EXCLUDED.target_column, pattern = EXCLUDED.pattern,
    replacement = EXCLUDED.replacement, case_sensitive = EXCLUDED.case_sensitive, engine = EXCLUDED.engine, preset = EXCLUDED.preset, position = EXCLUDED.position,
    active = EXCLUDED.active, revision = EXCLUDED.revision
RETURNING r.id;

-- PutTypology adds a typology, or moves one on to a revision. One that is retired keeps when it was.
-- name: PutTypology :one
INSERT INTO typologies AS t (id, name, retired_at, revision)
VALUES (coalesce(nullif(@id::integer, 0), nextval('typologies_id_seq')::integer), @name, CASE WHEN NOT @active::boolean THEN now() END, @revision)
ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, retired_at = CASE WHEN NOT @active THEN coalesce(t.retired_at, now()) END, revision = EXCLUDED.revision
RETURNING t.id;

-- PutCategory adds a subject category, or moves one on to a revision.
-- name: PutCategory :one
INSERT INTO subject_categories AS t (id, name, classifier_label, retired_at, revision)
VALUES (coalesce(nullif(@id::integer, 0), nextval('subject_categories_id_seq')::integer), @name, nullif(@classifier_label::text, ''),
    CASE WHEN NOT @active::boolean THEN now() END, @revision)
ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, classifier_label = EXCLUDED.classifier_label,
    retired_at = CASE WHEN NOT @active THEN coalesce(t.retired_at, now()) END, revision = EXCLUDED.revision
RETURNING t.id;

-- PutLevel adds a level of description, or moves one on to a revision.
-- name: PutLevel :one
INSERT INTO levels AS t (id, name, position, needs_parent, is_leaf, retired_at, revision)
VALUES (coalesce(nullif(@id::smallint, 0), nextval('levels_id_seq')::smallint), @name, @position, @needs_parent, @is_leaf, CASE WHEN NOT @active::boolean THEN now() END, @revision)
ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, position = EXCLUDED.position, needs_parent = EXCLUDED.needs_parent, is_leaf = EXCLUDED.is_leaf,
    retired_at = CASE WHEN NOT @active THEN coalesce(t.retired_at, now()) END, revision = EXCLUDED.revision
RETURNING t.id;

-- PutStopword adds a stopword, or moves one on to a revision.
-- name: PutStopword :one
INSERT INTO stopwords AS t (id, term, scope, retired_at, revision)
VALUES (coalesce(nullif(@id::integer, 0), nextval('stopwords_id_seq')::integer), @term, @scope, CASE WHEN NOT @active::boolean THEN now() END, @revision)
ON CONFLICT (id) DO UPDATE SET term = EXCLUDED.term, scope = EXCLUDED.scope,
    retired_at = CASE WHEN NOT @active THEN coalesce(t.retired_at, now()) END, revision = EXCLUDED.revision
RETURNING t.id;

-- PutSynonym adds a synonym, or moves one on to a revision.
-- name: PutSynonym :one
INSERT INTO synonyms AS t (id, term, canonical, scope, retired_at, revision)
VALUES (coalesce(nullif(@id::integer, 0), nextval('synonyms_id_seq')::integer), @term, @canonical, @scope, CASE WHEN NOT @active::boolean THEN now() END, @revision)
ON CONFLICT (id) DO UPDATE SET term = EXCLUDED.term, canonical = EXCLUDED.canonical, scope = EXCLUDED.scope,
    retired_at = CASE WHEN NOT @active THEN coalesce(t.retired_at, now()) END, revision = EXCLUDED.revision
RETURNING t.id;

-- PutExclusion adds an exclusion, or moves one on to a revision.
-- name: PutExclusion :one
INSERT INTO exclusions AS t (id, term, kind, retired_at, revision)
VALUES (coalesce(nullif(@id::integer, 0), nextval('exclusions_id_seq')::integer), @term, @kind, CASE WHEN NOT @active::boolean THEN now() END, @revision)
ON CONFLICT (id) DO UPDATE SET term = EXCLUDED.term, kind = EXCLUDED.kind,
    retired_at = CASE WHEN NOT @active THEN coalesce(t.retired_at, now()) END, revision = EXCLUDED.revision
RETURNING t.id;

-- WeighRules says how many descriptions each rule has rewritten.
-- name: WeighRules :many
SELECT r.id, (SELECT count(DISTINCT j.unit_id) FROM change_journal j WHERE j.rule_id = r.id) AS documents FROM cleaning_rules r;

-- WeighTypologies says how many descriptions are of each typology.
-- name: WeighTypologies :many
SELECT coalesce(typology_id, 0)::integer AS id, count(*) AS documents FROM documents WHERE typology_id IS NOT NULL GROUP BY typology_id;

-- WeighLevels says how many descriptions are of each level.
-- name: WeighLevels :many
SELECT coalesce(level_id, 0)::integer AS id, count(*) AS documents FROM documents WHERE level_id IS NOT NULL GROUP BY level_id;

-- WeighCategories says how many descriptions have a subject of each category.
-- name: WeighCategories :many
SELECT coalesce(t.subject_category_id, 0)::integer AS id, count(DISTINCT d.document_id) AS documents
FROM tags t JOIN document_tags d ON d.tag_id = t.id WHERE t.subject_category_id IS NOT NULL GROUP BY t.subject_category_id;

-- WeighTerms says how many descriptions bear a name: of a stopword or an exclusion the term, of a synonym what it stands for.
-- name: WeighTerms :many
SELECT e.id, count(DISTINCT l.document_id) AS documents
FROM (SELECT c.id, fold(coalesce(c.fields ->> 'canonical', c.fields ->> 'term')) AS folded FROM curation_entries c WHERE c.list = @list::text) e
JOIN (SELECT t.folded, d.document_id FROM tags t JOIN document_tags d ON d.tag_id = t.id
      UNION ALL SELECT n.folded, d.document_id FROM entities n JOIN document_entities d ON d.entity_id = n.id) l ON l.folded = e.folded
GROUP BY e.id;

-- CountTexts says how many descriptions have a text in a column, and between which ids they are.
-- name: CountTexts :one
SELECT coalesce((SELECT sum(n) FROM queue_tally WHERE worker_name = '' AND measure = 'column:' || @target_column::text), 0)::bigint AS texts,
    coalesce((SELECT min(id) FROM documents), 0)::bigint AS lowest, coalesce((SELECT max(id) FROM documents), 0)::bigint AS highest;

-- ReadTexts returns the texts of a column of descriptions from an id on; none of those that a person decided on, which no rule touches.
-- name: ReadTexts :many
SELECT d.id, coalesce(d.reference_code, d.description_id)::text AS unit_name,
    (CASE WHEN human_decided(d.review_status) THEN '' ELSE coalesce(target_text(d, @target_column::text), '') END)::text AS value
FROM documents d WHERE d.id >= @from_id ORDER BY d.id LIMIT @max_rows;
