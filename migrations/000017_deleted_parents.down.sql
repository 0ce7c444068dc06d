DROP TRIGGER leave_deleted_parents ON documents;
DROP FUNCTION leave_deleted_parents();
