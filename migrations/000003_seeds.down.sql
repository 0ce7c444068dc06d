-- Seeds leave with their tables; a curated row is never deleted.
SELECT 1;
