-- Takes all roles, members, limits and approval limits away, so that a file can say what there is.  The constraints are looked at
-- when the whole statement is done.
WITH members AS (DELETE FROM finance.role_member),
     limits AS (DELETE FROM finance.role_limit),
     approval AS (DELETE FROM finance.approval_limit)
DELETE FROM finance.role;
