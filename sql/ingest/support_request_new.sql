-- An id for a request that was given none.
SELECT gen_random_uuid()::text;
