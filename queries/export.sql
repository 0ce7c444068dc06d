-- ReadExported returns descriptions as they are exported, each with what its source said. The level is in the source's words as long as
-- they mean the level that the description has; it has none where nobody knew them.
-- name: ReadExported :many
SELECT d.id, d.description_id, d.original_title, coalesce(d.parent_description_id, '')::text AS parent_description_id,
    coalesce(d.reference_code, '')::text AS reference_code, coalesce(d.parent_reference_code, '')::text AS parent_reference_code,
    coalesce(CASE WHEN d.level_id IS NULL
            OR EXISTS (SELECT FROM levels k WHERE k.id = d.level_id AND fold_key(k.name) = fold_key(s.level))
            OR EXISTS (SELECT FROM level_aliases a WHERE a.level_id = d.level_id AND fold_key(a.alias) = fold_key(s.level)) THEN s.level
        ELSE l.name END, '')::text AS level,
    coalesce(d.date, '')::text AS date, coalesce(d.extent, '')::text AS extent, coalesce(d.repository, '')::text AS repository,
    coalesce(d.producers, '')::text AS producers, coalesce(d.admin_bio_history, '')::text AS admin_bio_history,
    coalesce(d.provenance, '')::text AS provenance, coalesce(d.scope_content, '')::text AS scope_content,
    coalesce(d.language, '')::text AS language, coalesce(d.access_conditions, '')::text AS access_conditions,
    coalesce(d.archivist_notes, '')::text AS archivist_notes, coalesce(d.image_url, '')::text AS image_url,
    d.review_status, human_decided(d.review_status)::boolean AS human_decided, d.anomaly_reasons, coalesce(p.description_id, '')::text AS parent_id,
    s.subjects, s.places, s.names, s.genres, s.raw, s.content_hash, s.imported_at,
    coalesce(t.name, '')::text AS typology, d.typology_person, y.score AS typology_score, y.run_id AS typology_run_id,
    u.key AS thumbnail
FROM documents d
JOIN staging_records s ON s.id = d.id
LEFT JOIN levels l ON l.id = d.level_id
LEFT JOIN document_hierarchy h ON h.document_id = d.id
LEFT JOIN documents p ON p.id = h.parent_id
LEFT JOIN typologies t ON t.id = d.typology_id
LEFT JOIN typology_scores y ON y.document_id = d.id AND y.typology_id = d.typology_id AND d.typology_person IS NULL
LEFT JOIN thumbnails u ON u.document_id = d.id AND u.fingerprint = input_hash(coalesce(d.image_url, ''))
WHERE d.id = ANY (@ids::bigint[]);

-- ReadExportedEntities returns what these descriptions are linked with, by name.
-- name: ReadExportedEntities :many
SELECT k.document_id, e.name, e.type, k.score, k.origin, k.run_id
FROM document_entities k JOIN entities e ON e.id = k.entity_id
WHERE k.document_id = ANY (@ids::bigint[])
ORDER BY k.document_id, e.folded COLLATE "C", e.type, e.id;

-- ReadExportedTags returns the tags of these descriptions, by name, with the category that each is filed under and, where a run filed it,
-- how sure that was.
-- name: ReadExportedTags :many
SELECT k.document_id, t.name, c.name AS category, y.score, k.origin, k.run_id
FROM document_tags k JOIN tags t ON t.id = k.tag_id
LEFT JOIN subject_categories c ON c.id = t.subject_category_id
LEFT JOIN subject_scores y ON y.tag_id = t.id AND y.subject_category_id = t.subject_category_id AND t.category_person IS NULL
WHERE k.document_id = ANY (@ids::bigint[])
ORDER BY k.document_id, t.folded COLLATE "C", t.id;

-- ListRefusedPoints returns the access points of the source that a human took off these descriptions, which a human decided on: some tag has
-- the name of one of their terms, or of what that is a synonym of, and no such tag is linked.
-- name: ListRefusedPoints :many
WITH points AS (
    SELECT s.id, 'subjects' AS list, unnest(s.subjects) AS value, ',;' AS separators FROM staging_records s WHERE s.id = ANY (@ids::bigint[])
    UNION ALL SELECT s.id, 'places', unnest(s.places), ',;' FROM staging_records s WHERE s.id = ANY (@ids::bigint[])
    UNION ALL SELECT s.id, 'genres', unnest(s.genres), ',;' FROM staging_records s WHERE s.id = ANY (@ids::bigint[])
    UNION ALL SELECT s.id, 'names', unnest(s.names), ';' FROM staging_records s WHERE s.id = ANY (@ids::bigint[])
), terms AS (
    SELECT p.id, p.list, p.value, fold(unnest(string_to_array(translate(p.value, p.separators, '||'), '|'))) AS folded FROM points p
), spellings AS (
    SELECT t.id, t.list, t.value, t.folded FROM terms t
    UNION ALL
    SELECT t.id, t.list, t.value, fold(y.canonical) FROM terms t JOIN synonyms y ON fold(y.term) = t.folded AND y.scope IN ('TAG', 'ALL') AND y.retired_at IS NULL
)
SELECT x.id, x.list::text AS list, x.value::text AS value
FROM spellings x
JOIN tags t ON t.folded = x.folded
LEFT JOIN document_tags k ON k.tag_id = t.id AND k.document_id = x.id
GROUP BY x.id, x.list, x.value
HAVING count(k.tag_id) = 0;

-- ListSources returns what staging has of these descriptions.
-- name: ListSources :many
SELECT description_id, content_hash, imported_at FROM staging_records WHERE description_id = ANY (@description_ids::text[]);
