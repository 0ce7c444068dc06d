-- What people see and decide of descriptions: the indexes behind the list's filters, revisions, links that a person refused, and reviews.

-- The indexes of the list, in its order. Those on typology and anomalies hold no description that transfer has just made.
CREATE INDEX documents_by_status ON documents (review_status, id);
CREATE INDEX documents_by_level ON documents (level_id, id);
CREATE INDEX documents_by_typology ON documents (typology_id, id) WHERE typology_id IS NOT NULL;
CREATE INDEX documents_by_reason ON documents USING gin (anomaly_reasons) WHERE is_anomaly;
CREATE INDEX documents_with_anomalies ON documents (id) WHERE is_anomaly;
-- Which units were stamped by a run whose settings are no longer in force. The stamps of transfer and cleaning depend on no settings.
CREATE INDEX execution_log_by_run ON execution_log (worker_name, run_id, unit_id) WHERE worker_name NOT IN ('transfer', 'cleaning');

-- document_queues: the queues whose units are descriptions, one row a worker and description that it may touch.
CREATE VIEW document_queues AS
SELECT 'transfer' AS worker_name, q.unit_id, q.pending FROM transfer_queue q JOIN documents d ON d.id = q.unit_id
UNION ALL SELECT 'cleaning', q.unit_id, bool_or(q.pending) FROM cleaning_queue q GROUP BY q.unit_id
UNION ALL SELECT 'ner', q.unit_id, q.pending FROM ner_queue q
UNION ALL SELECT 'typology', q.unit_id, q.pending FROM typology_queue q
UNION ALL SELECT 'quality-validator', q.unit_id, q.pending FROM quality_validator_queue q
UNION ALL SELECT 'embedding', q.unit_id, q.pending FROM embedding_queue q;

-- What a person changed of a description: only what changed, before and after. Revisions outlive their description.
CREATE TABLE document_revisions (
    id          bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    document_id bigint      NOT NULL,
    changed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_by  text        NOT NULL CONSTRAINT document_revisions_changed_by_somebody CHECK (changed_by <> ''),
    channel     text        NOT NULL CONSTRAINT document_revisions_channel_is_known CHECK (channel IN ('PANEL', 'CLI', 'API')),
    note        text        NOT NULL DEFAULT '',
    before      jsonb       NOT NULL,
    after       jsonb       NOT NULL
);
CREATE INDEX document_revisions_by_document ON document_revisions (document_id, id);

CREATE FUNCTION document_revisions_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'revisions of descriptions are never changed or deleted'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'document_revisions_are_final';
END $$;
CREATE TRIGGER document_revisions_are_final BEFORE UPDATE OR DELETE OR TRUNCATE ON document_revisions
    FOR EACH STATEMENT EXECUTE FUNCTION document_revisions_are_final();

-- Links that a person removed: neither the source nor a run brings them back. By name, since an entity that nothing points to goes, and
-- comes back under another id.
CREATE TABLE refused_links (
    document_id bigint      NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    kind        text        NOT NULL CONSTRAINT refused_links_kind_is_known CHECK (kind IN ('TAG', 'PER', 'ORG', 'LOC')),
    folded      text        NOT NULL,
    person      text        NOT NULL,
    refused_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT refused_links_one_per_document_and_name PRIMARY KEY (document_id, kind, folded)
);

-- Reviews: what waits, and what was decided last.
CREATE INDEX review_queue_open ON review_queue (kind, id) WHERE decided_at IS NULL;
CREATE INDEX review_queue_decided ON review_queue (decided_at, id) WHERE decided_at IS NOT NULL;

-- tag_staging as before, but for links that a person refused.
CREATE OR REPLACE FUNCTION tag_staging(ids bigint[]) RETURNS TABLE (linked bigint, unlinked bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    made bigint;
    gone bigint;
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS transfer_points (point text, folded text, name text) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE IF NOT EXISTS transfer_links (document_id bigint, tag_id bigint) ON COMMIT DELETE ROWS;
    DELETE FROM pg_temp.transfer_points;
    DELETE FROM pg_temp.transfer_links;

    WITH points AS MATERIALIZED (
        SELECT p.point, lower(clean_text(p.point)) AS name FROM (SELECT DISTINCT point FROM access_points(ids)) p
    ), terms AS MATERIALIZED (
        SELECT p.point, p.name, fold(p.name) AS folded FROM points p WHERE char_length(p.name) BETWEEN 3 AND 100
    ), synonym AS MATERIALIZED (
        SELECT DISTINCT ON (fold(y.term)) fold(y.term) AS folded, lower(y.canonical) AS canonical, fold(y.canonical) AS canonical_folded
        FROM synonyms y WHERE y.scope IN ('TAG', 'ALL') AND y.retired_at IS NULL ORDER BY fold(y.term), y.scope DESC
    ), resolved AS MATERIALIZED (
        SELECT t.point, coalesce(y.canonical, t.name) AS name, coalesce(y.canonical_folded, t.folded) AS folded
        FROM terms t LEFT JOIN synonym y ON y.folded = t.folded
    ), dropped AS MATERIALIZED (
        SELECT fold(w.term) AS folded FROM stopwords w WHERE w.scope IN ('TAG', 'ALL') AND w.retired_at IS NULL
    )
    INSERT INTO pg_temp.transfer_points
    SELECT r.point, r.folded, r.name FROM resolved r
    WHERE r.folded IS NOT NULL AND NOT EXISTS (SELECT FROM dropped w WHERE w.folded = r.folded);

    INSERT INTO tags (name)
    SELECT min(t.name) FROM pg_temp.transfer_points t WHERE NOT EXISTS (SELECT FROM tags k WHERE k.folded = t.folded)
    GROUP BY t.folded ORDER BY t.folded
    ON CONFLICT (folded) DO NOTHING;

    INSERT INTO pg_temp.transfer_links
    SELECT DISTINCT p.document_id, t.tag_id
    FROM access_points(ids) p
    JOIN (SELECT t.point, k.id AS tag_id, k.folded FROM pg_temp.transfer_points t JOIN tags k ON k.folded = t.folded) t ON t.point = p.point
    WHERE NOT EXISTS (SELECT FROM refused_links r WHERE r.document_id = p.document_id AND r.kind = 'TAG' AND r.folded = t.folded)
    ORDER BY 1, 2;

    DELETE FROM document_tags dt
    WHERE dt.document_id = ANY (ids) AND dt.origin = 'source'
        AND NOT EXISTS (SELECT FROM pg_temp.transfer_links l WHERE l.document_id = dt.document_id AND l.tag_id = dt.tag_id);
    GET DIAGNOSTICS gone = ROW_COUNT;

    INSERT INTO document_tags (document_id, tag_id, origin)
    SELECT l.document_id, l.tag_id, 'source' FROM pg_temp.transfer_links l
    ON CONFLICT (document_id, tag_id) DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    RETURN QUERY SELECT made, gone;
END $$;
