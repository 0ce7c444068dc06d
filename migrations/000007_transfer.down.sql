DROP FUNCTION refresh_ancestors(bigint[]);
DROP FUNCTION declared_parent(bigint, text, text);
DROP FUNCTION staging_tags(bigint[]);
