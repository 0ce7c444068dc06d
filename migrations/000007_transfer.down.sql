DROP FUNCTION place_documents(bigint[]);
DROP FUNCTION refresh_ancestors(bigint[]);
DROP FUNCTION declared_parents(bigint[]);
DROP FUNCTION tag_staging(bigint[]);
DROP FUNCTION access_point_terms(text, text);
