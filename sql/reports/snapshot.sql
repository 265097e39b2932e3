-- One snapshot for all statements of this transaction, and no writing.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
