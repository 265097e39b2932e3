-- The runs that the register consists of, in the order of their entries, all as of one moment; before them in each row: whether the register has
-- the entry that the process has seen last, and the number and token of its last entry.  A register without runs is one row without a run.
-- $1 bigint the entry, 0 where none was seen
-- $2 uuid its token, hexadecimal
SELECT $1::bigint = 0 OR EXISTS (SELECT FROM metering.register_entry e WHERE e.entry = $1::bigint AND e.token = $2::uuid),
       COALESCE(newest.entry, 0), encode(uuid_send(newest.token), 'hex'),
       r.run, encode(uuid_send(r.token), 'hex'), r.first_entry, r.last_entry, r.keys, r.first_batch, r.filter_blocks
  FROM (VALUES (1)) AS always
  LEFT JOIN (SELECT e.entry, e.token FROM metering.register_entry e ORDER BY e.entry DESC LIMIT 1) AS newest ON true
  LEFT JOIN metering.key_run r ON true
 ORDER BY r.first_entry;
