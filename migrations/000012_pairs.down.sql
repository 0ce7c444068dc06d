CREATE OR REPLACE VIEW queue_eligible AS
WITH facts AS (SELECT measure, sum(n) AS n FROM queue_tally WHERE worker_name = '' GROUP BY measure)
SELECT w.worker_name, coalesce(w.eligible, 0)::bigint AS eligible
FROM (
    SELECT 'transfer' AS worker_name, sum(CASE measure WHEN 'staging' THEN n WHEN 'decided' THEN -n END) AS eligible FROM facts
    UNION ALL
    SELECT 'cleaning', sum(f.n) FROM cleaning_rules r JOIN facts f ON f.measure = 'column:' || r.target_column
    WHERE r.active AND r.kind = 'REWRITE'
    UNION ALL
    SELECT 'ner', sum(n) FROM facts WHERE measure = 'governed'
    UNION ALL
    SELECT 'quality-validator', sum(n) FROM facts WHERE measure = 'governed'
    UNION ALL
    SELECT 'typology', sum(CASE measure WHEN 'governed' THEN n WHEN 'typed' THEN -n END) FROM facts
    UNION ALL
    SELECT 'macro-category', sum(n) FROM facts WHERE measure = 'uncategorised'
    UNION ALL
    SELECT 'embedding', sum(CASE measure WHEN 'governed' THEN n WHEN 'decided' THEN n WHEN 'rejected' THEN -n END) FROM facts
) AS w;
DELETE FROM execution_log WHERE worker_name = 'conflict-judge';
DROP TRIGGER tally_conflicts_delete ON review_queue;
DROP TRIGGER tally_conflicts_update ON review_queue;
DROP TRIGGER tally_conflicts_insert ON review_queue;
DROP FUNCTION tally_conflicts();
DELETE FROM queue_tally WHERE worker_name = 'conflict-judge';
DROP VIEW conflict_judge_queue;
DROP FUNCTION undo_resolution(bigint, text);
DROP FUNCTION resolve_conflict(bigint, text, bigint, text, real, text);
DROP TABLE resolution_links;
DROP TABLE resolutions;
DROP TRIGGER reviews_become_moot ON entities;
DROP TRIGGER reviews_become_moot ON tags;
DROP FUNCTION reviews_become_moot();
DELETE FROM review_queue WHERE moot; -- what they speak of is gone
DROP INDEX review_queue_by_entity;
DROP INDEX review_queue_by_tag;
ALTER TABLE review_queue DROP COLUMN moot;
ALTER TABLE review_queue ADD CONSTRAINT review_queue_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES tags (id);
ALTER TABLE review_queue ADD CONSTRAINT review_queue_entity_id_fkey FOREIGN KEY (entity_id) REFERENCES entities (id);
DROP TRIGGER names_changed_update ON entities;
DROP TRIGGER names_changed_insert ON entities;
DROP TRIGGER names_changed_update ON tags;
DROP TRIGGER names_changed_insert ON tags;
DROP FUNCTION names_changed();
DROP TABLE pair_backlog;
DROP TABLE pair_comparison;
DROP TABLE similar_pairs;
DROP FUNCTION forget_pairs();
