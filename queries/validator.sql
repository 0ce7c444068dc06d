-- ClaimValidation returns the next documents with everything the validator reads of them.
-- name: ClaimValidation :many
SELECT q.unit_id, coalesce(d.reference_code, d.description_id)::text AS unit_name, v.title, v.date, v.same_title,
    v.has_tags, v.has_typology::boolean AS has_typology, v.has_entities, v.typology_ready, v.entities_ready, v.fingerprint::bytea AS fingerprint,
    v.scope_content, v.admin_bio_history, v.provenance, v.archivist_notes
FROM (SELECT unit_id FROM quality_validator_queue WHERE unit_id > @after AND (pending OR @force::boolean) ORDER BY unit_id LIMIT @max_rows) q
JOIN documents d ON d.id = q.unit_id
JOIN validator_inputs v ON v.document_id = q.unit_id
ORDER BY q.unit_id;

-- LockForValidation locks documents that no human decided on.
-- name: LockForValidation :many
SELECT id FROM documents WHERE id = ANY (@ids::bigint[]) AND NOT human_decided(review_status) ORDER BY id FOR UPDATE;

-- ReadValidationInputs returns the fingerprints of what the validator would read of these documents now.
-- name: ReadValidationInputs :many
SELECT document_id, fingerprint::bytea AS fingerprint FROM validator_inputs WHERE document_id = ANY (@ids::bigint[]) ORDER BY document_id;

-- SetVerdicts stores the validator's reasons, each a list joined by line feeds, and moves the review status: any reason asks for a review; a clean
-- document is approved, unless its review was asked for by something else than the validator.
-- name: SetVerdicts :execrows
UPDATE documents d SET anomaly_reasons = v.reasons, is_anomaly = cardinality(v.reasons) > 0, review_status = v.review_status, updated_at = now()
FROM (SELECT u.unit_id, u.reasons,
        CASE WHEN cardinality(u.reasons) > 0 THEN 'NEEDS_REVIEW'
             WHEN k.review_status = 'NEEDS_REVIEW' AND NOT k.is_anomaly THEN 'NEEDS_REVIEW'
             ELSE 'AI_APPROVED' END AS review_status
      FROM (SELECT unnest(@unit_ids::bigint[]) AS unit_id, array_remove(string_to_array(unnest(@reasons::text[]), E'\n'), '') AS reasons) u
      JOIN documents k ON k.id = u.unit_id) v
WHERE d.id = v.unit_id AND (d.anomaly_reasons, d.review_status) IS DISTINCT FROM (v.reasons, v.review_status);

-- ListTitleRules returns the oldest active LLM_CHECK rule, if there is one: its engine and preset check the titles.
-- name: ListTitleRules :many
SELECT id, name, coalesce(engine, '')::text AS engine, coalesce(preset, '')::text AS preset FROM cleaning_rules
WHERE active AND kind = 'LLM_CHECK' ORDER BY created_at, id LIMIT 1;
