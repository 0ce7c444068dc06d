-- GetDocument returns one description.
-- name: GetDocument :one
SELECT d.id, d.description_id, d.reference_code, d.level_id, l.name AS level, d.original_title, d.date, d.extent, d.repository, d.producers,
    d.admin_bio_history, d.provenance, d.scope_content, d.language, d.access_conditions, d.archivist_notes, d.image_url,
    d.typology_id, t.name AS typology, d.typology_person, b.name AS scored, s.score, s.run_id AS score_run,
    d.review_status, d.anomaly_reasons, d.created_at, d.updated_at, coalesce(h.orphan, false)::boolean AS orphan,
    p.digest AS picture, p.width, p.height
FROM documents d
LEFT JOIN levels l ON l.id = d.level_id
LEFT JOIN typologies t ON t.id = d.typology_id
LEFT JOIN typology_scores s ON s.document_id = d.id
LEFT JOIN typologies b ON b.id = s.typology_id
LEFT JOIN document_hierarchy h ON h.document_id = d.id
LEFT JOIN thumbnails p ON p.document_id = d.id AND p.fingerprint = input_hash(coalesce(d.image_url, ''))
WHERE d.id = @id;

-- LockDocument keeps others from changing a description until the transaction ends.
-- name: LockDocument :execrows
SELECT FROM documents WHERE id = @id FOR UPDATE;

-- ListAncestors returns what a description stands below, the top first.
-- name: ListAncestors :many
SELECT d.id, d.description_id, d.reference_code, d.original_title, l.name AS level, d.date, d.review_status
FROM document_hierarchy h
JOIN documents d ON d.id = ANY (h.ancestors)
LEFT JOIN levels l ON l.id = d.level_id
WHERE h.document_id = @id
ORDER BY array_position(h.ancestors, d.id);

-- ListChildren returns what stands directly below a description.
-- name: ListChildren :many
SELECT d.id, d.description_id, d.reference_code, d.original_title, l.name AS level, d.date, d.review_status, p.digest AS picture, p.width, p.height
FROM document_hierarchy h
JOIN documents d ON d.id = h.document_id
LEFT JOIN levels l ON l.id = d.level_id
LEFT JOIN thumbnails p ON p.document_id = d.id AND p.fingerprint = input_hash(coalesce(d.image_url, ''))
WHERE h.parent_id = @id
ORDER BY d.id
LIMIT @max_rows;

-- ListDocumentTags returns the tags of a description.
-- name: ListDocumentTags :many
SELECT t.id, t.name, c.name AS category, l.origin, l.run_id, l.person
FROM document_tags l
JOIN tags t ON t.id = l.tag_id
LEFT JOIN subject_categories c ON c.id = t.subject_category_id
WHERE l.document_id = @id
ORDER BY t.folded;

-- ListDocumentEntities returns the entities of a description.
-- name: ListDocumentEntities :many
SELECT e.id, e.name, e.type, l.origin, l.run_id, l.person, l.score
FROM document_entities l
JOIN entities e ON e.id = l.entity_id
WHERE l.document_id = @id
ORDER BY e.type, e.folded;

-- CountDocumentNames says how many tags of a description, and pairs of one of its names, wait for a worker or a person.
-- name: CountDocumentNames :one
WITH own_tags AS MATERIALIZED (SELECT l.tag_id FROM document_tags l WHERE l.document_id = @id),
own_entities AS MATERIALIZED (SELECT l.entity_id FROM document_entities l WHERE l.document_id = @id),
own_pairs AS (
    SELECT p.tag_id, p.entity_id FROM own_tags o JOIN similar_pairs p ON p.tag_id = o.tag_id
    UNION SELECT p.tag_id, p.entity_id FROM own_entities o JOIN similar_pairs p ON p.entity_id = o.entity_id),
own_conflicts AS (
    SELECT q.id FROM own_tags o JOIN review_queue q ON q.tag_id = o.tag_id WHERE q.kind = 'CONFLICT' AND q.decided_at IS NULL AND NOT q.moot
    UNION SELECT q.id FROM own_entities o JOIN review_queue q ON q.entity_id = o.entity_id WHERE q.kind = 'CONFLICT' AND q.decided_at IS NULL AND NOT q.moot)
SELECT (SELECT count(*) FROM own_tags o WHERE (SELECT q.pending FROM macro_category_queue q WHERE q.unit_id = o.tag_id))::bigint AS tags_pending,
    (SELECT count(*) FROM own_tags o JOIN review_queue q ON q.tag_id = o.tag_id WHERE q.kind = 'SUBJECT' AND q.decided_at IS NULL AND NOT q.moot)::bigint AS tags_for_person,
    (SELECT count(*) FROM own_pairs p WHERE NOT EXISTS (
        SELECT FROM review_queue q WHERE q.kind = 'CONFLICT' AND q.tag_id = p.tag_id AND q.entity_id = p.entity_id))::bigint AS pairs_pending,
    (SELECT count(*) FROM own_conflicts)::bigint AS conflicts_to_decide;

-- ListDocumentStamps returns the stamps of a description, with the run that wrote each. in_context: the labels or rules of that run are still those in force.
-- name: ListDocumentStamps :many
SELECT x.worker_name, x.outcome, x.error, x.current, x.rule_version <> 0 AS by_rule, x.run_id, r.started_at, r.config, r.config_fingerprint,
    (r.context_fingerprint = worker_context(x.worker_name))::boolean AS in_context
FROM execution_log x
JOIN archive_worker_runs r ON r.id = x.run_id
WHERE x.worker_name = ANY (@workers::text[]) AND x.unit_id = @id
ORDER BY x.worker_name, x.run_id;

-- ListDocumentQueues returns the workers that may touch a description, and whether their next run would.
-- name: ListDocumentQueues :many
SELECT q.worker_name::text AS worker_name, q.pending::boolean AS pending FROM document_queues q WHERE q.unit_id = @id::bigint;

-- ListDocumentChanges returns what runs changed of a description, the last first.
-- name: ListDocumentChanges :many
SELECT j.id, j.run_id, a.worker_name, j.field, j.before, j.after, coalesce(r.name, '')::text AS rule_name
FROM change_journal j
JOIN archive_worker_runs a ON a.id = j.run_id
LEFT JOIN cleaning_rules r ON r.id = j.rule_id
WHERE j.unit_kind = 'document' AND j.unit_id = @id
ORDER BY j.id DESC
LIMIT @max_rows;

-- ListDocumentRevisions returns what people changed of a description, the last first.
-- name: ListDocumentRevisions :many
SELECT id, changed_at, changed_by, channel, note, before, after FROM document_revisions WHERE document_id = @document_id ORDER BY id DESC LIMIT @max_rows;

-- AddRevision notes what a person changed.
-- name: AddRevision :one
INSERT INTO document_revisions (document_id, changed_by, channel, note, before, after)
VALUES (@document_id, @changed_by, @channel, @note, @before, @after) RETURNING id;

-- UpdateDocument writes what a person edited: every text, the level, the typology with who chose it, and the review status. NULL empties a text.
-- name: UpdateDocument :exec
UPDATE documents SET original_title = @original_title, date = sqlc.narg(date), extent = sqlc.narg(extent), repository = sqlc.narg(repository),
    producers = sqlc.narg(producers), admin_bio_history = sqlc.narg(admin_bio_history), provenance = sqlc.narg(provenance),
    scope_content = sqlc.narg(scope_content), access_conditions = sqlc.narg(access_conditions), language = sqlc.narg(language),
    archivist_notes = sqlc.narg(archivist_notes), level_id = sqlc.narg(level_id), typology_id = sqlc.narg(typology_id),
    typology_person = sqlc.narg(typology_person), review_status = @review_status, updated_at = now()
WHERE id = @id;

-- ForgetVerdict takes the validator's verdict back, so that it looks at the description again.
-- name: ForgetVerdict :exec
WITH document AS (UPDATE documents SET is_anomaly = false, anomaly_reasons = '{}' WHERE documents.id = @id)
DELETE FROM execution_log WHERE worker_name = 'quality-validator' AND unit_id = @id AND rule_version = 0;

-- RestoreStatus puts back what an undone decision had found.
-- name: RestoreStatus :exec
UPDATE documents SET review_status = @review_status, updated_at = now() WHERE id = @id;

-- GetLevel returns a level of description that may be chosen.
-- name: GetLevel :one
SELECT id, name, needs_parent FROM levels WHERE id = @id AND retired_at IS NULL;

-- GetTypology returns a typology that may be chosen.
-- name: GetTypology :one
SELECT id, name FROM typologies WHERE id = @id AND retired_at IS NULL;

-- ResolveTag says what a typed tag becomes: a synonym's canonical term, or nothing when it is a stop word.
-- name: ResolveTag :one
SELECT coalesce(y.canonical, lower(@name::text))::text AS name, fold(coalesce(y.canonical, @name::text))::text AS folded,
    EXISTS (SELECT FROM stopwords w WHERE fold(w.term) = fold(coalesce(y.canonical, @name::text)) AND w.scope IN ('TAG', 'ALL') AND w.retired_at IS NULL) AS stopped
FROM (SELECT) one
LEFT JOIN LATERAL (SELECT lower(s.canonical) AS canonical FROM synonyms s WHERE fold(s.term) = fold(@name::text) AND s.scope IN ('TAG', 'ALL') AND s.retired_at IS NULL
    ORDER BY s.scope DESC LIMIT 1) y ON true;

-- AddTag adds a tag, unless one of that name is there.
-- name: AddTag :exec
INSERT INTO tags (name) VALUES (@name) ON CONFLICT (folded) DO NOTHING;

-- FindTag returns the tag of a name.
-- name: FindTag :one
SELECT id, name FROM tags WHERE folded = fold(@name::text);

-- FindEntity returns the entity of a name and type.
-- name: FindEntity :one
SELECT id, name FROM entities WHERE folded = fold(@name::text) AND type = @type;

-- AddHumanTag links a description with a tag by a person, who then owns the link whoever made it before.
-- name: AddHumanTag :exec
INSERT INTO document_tags (document_id, tag_id, origin, person) VALUES (@document_id, @tag_id, 'human', @person)
ON CONFLICT (document_id, tag_id) DO UPDATE SET origin = 'human', run_id = NULL, person = excluded.person WHERE document_tags.origin <> 'human';

-- AddHumanEntity links a description with an entity by a person.
-- name: AddHumanEntity :exec
INSERT INTO document_entities (document_id, entity_id, origin, person) VALUES (@document_id, @entity_id, 'human', @person)
ON CONFLICT (document_id, entity_id) DO UPDATE SET origin = 'human', run_id = NULL, score = NULL, person = excluded.person WHERE document_entities.origin <> 'human';

-- RemoveTag removes a link and returns the name of its tag; no row means that there was none.
-- name: RemoveTag :one
WITH gone AS (DELETE FROM document_tags l WHERE l.document_id = @document_id AND l.tag_id = @tag_id RETURNING l.tag_id)
SELECT t.name, t.folded FROM gone JOIN tags t ON t.id = gone.tag_id;

-- RemoveEntity removes a link and returns the name of its entity.
-- name: RemoveEntity :one
WITH gone AS (DELETE FROM document_entities l WHERE l.document_id = @document_id AND l.entity_id = @entity_id RETURNING l.entity_id)
SELECT e.name, e.type, e.folded FROM gone JOIN entities e ON e.id = gone.entity_id;

-- RefuseLink notes that a person removed a link, so that nothing brings it back.
-- name: RefuseLink :exec
INSERT INTO refused_links (document_id, kind, folded, person) VALUES (@document_id, @kind, @folded, @person) ON CONFLICT DO NOTHING;

-- AdmitLink forgets that a link was refused.
-- name: AdmitLink :exec
DELETE FROM refused_links WHERE document_id = @document_id AND kind = @kind AND folded = fold(@name::text);

-- ListChoices returns the vocabularies that filters and forms offer.
-- name: ListChoices :many
SELECT 'level'::text AS vocabulary, id::bigint AS id, name, position AS place FROM levels WHERE retired_at IS NULL
UNION ALL SELECT 'typology', id, name, 0 FROM typologies WHERE retired_at IS NULL
UNION ALL SELECT 'category', id, name, 0 FROM subject_categories WHERE retired_at IS NULL
UNION ALL SELECT 'rule', id, name, 0 FROM cleaning_rules WHERE kind = 'VALIDATE' AND active
ORDER BY vocabulary, place, name;

-- NameTag returns the name of a tag.
-- name: NameTag :one
SELECT name FROM tags WHERE id = @id;

-- NameEntity returns the name of an entity.
-- name: NameEntity :one
SELECT name FROM entities WHERE id = @id;

-- ListStaleRuns returns the runs that stamped units of a worker with other settings than those in force.
-- name: ListStaleRuns :many
SELECT run_id FROM queue_stamped WHERE worker_name = @worker_name AND config_fingerprint IS DISTINCT FROM @in_force::bytea AND done + settled > 0 ORDER BY run_id;
