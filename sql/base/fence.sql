-- Has every write of this session checked against a fence; finance.refuse_fenced() does it.
-- $1 bigint fence
SELECT set_config('tollbook.fence', ($1::bigint)::text, false);
