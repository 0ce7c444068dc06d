-- The oldest active LLM_CHECK rule says what engine checks titles; a younger one changes nothing, and makes nothing pending.

-- worker_context is what a worker's stamps depend on beside the unit and the settings: for quality-validator the rules it applies and, of
-- the LLM_CHECK rules, the one whose engine checks titles; for typology and macro-category the labels on offer and what is no subject. A run
-- notes it at its start; when it changes, what the run stamped is pending again.
CREATE OR REPLACE FUNCTION worker_context(worker text) RETURNS bytea
    LANGUAGE sql STABLE
RETURN CASE worker
    WHEN 'quality-validator' THEN (
        SELECT input_hash(string_agg(r.version::text, ',' ORDER BY r.version))
        FROM cleaning_rules r WHERE r.active AND (r.kind = 'VALIDATE' OR r.id = (
            SELECT o.id FROM cleaning_rules o WHERE o.active AND o.kind = 'LLM_CHECK' ORDER BY o.created_at, o.id LIMIT 1)))
    WHEN 'typology' THEN (
        SELECT input_hash(string_agg(t.id::text || ' ' || t.name, E'\n' ORDER BY t.id)) FROM typologies t WHERE t.retired_at IS NULL)
    WHEN 'macro-category' THEN input_hash(
        (SELECT string_agg(c.id::text || ' ' || coalesce(c.classifier_label, c.name), E'\n' ORDER BY c.id) FROM subject_categories c WHERE c.retired_at IS NULL)
        || E'\n\n' || coalesce((SELECT string_agg(x.kind || ' ' || x.term, E'\n' ORDER BY x.id) FROM exclusions x
            WHERE x.retired_at IS NULL AND x.kind IN ('SUBJECT', 'COLLECTION')), ''))
    ELSE ''::bytea END;
