-- Extensions and the immutable text functions that every later file builds on.

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public;

-- clean_text is the one definition of "trim and collapse white space": every Unicode separator counts
-- (NBSP, thin spaces, line and paragraph separators), and what is left without text is NULL.
CREATE FUNCTION clean_text(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(btrim(regexp_replace(value, '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')), '');

-- fold makes two spellings comparable: no accents, lower case, single spaces.
CREATE FUNCTION fold(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(public.unaccent('public.unaccent'::regdictionary, clean_text(value)));

-- fold_key also ignores dashes, slashes and dots: it is what levels of description are looked up by.
CREATE FUNCTION fold_key(value text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(regexp_replace(fold(value), '[^[:alnum:]]+', '', 'g'), '');

-- input_hash is the fingerprint of what a worker read.
CREATE FUNCTION input_hash(value text) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(convert_to(coalesce(value, ''), 'UTF8'));

-- error_fingerprint groups errors that differ only in what they name: the first line, white space
-- collapsed, lower case, then uuids, hashes (16 or more hex digits), numbers and paths replaced, 200 characters.
CREATE FUNCTION error_fingerprint(message text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(
    regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    lower(clean_text(split_part(translate(ltrim(message, E' \t\r\n'), E'\r', E'\n'), E'\n', 1))),
                    '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', '<uuid>', 'g'),
                '\m[0-9a-f]{16,}\M', '<hash>', 'g'),
            '[0-9]+([.,][0-9]+)*', '<n>', 'g'),
        '(^|[\s"''(=])(/[^\s"''():,]+)+', '\1<path>', 'g'),
    200);
