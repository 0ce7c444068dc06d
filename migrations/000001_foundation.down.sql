DROP FUNCTION error_fingerprint(text);
DROP FUNCTION input_hash(text);
DROP FUNCTION fold_key(text);
DROP FUNCTION fold(text);
DROP FUNCTION clean_text(text);
