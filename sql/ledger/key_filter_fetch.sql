-- A piece of the filter of a run; no row where the run is gone, since others merged it, NULL where the piece is missing.
-- $1 bigint run
-- $2 uuid its token, hexadecimal
-- $3 integer piece, from 0
SELECT f.bits
  FROM metering.key_run r
  LEFT JOIN metering.key_filter f ON f.run = r.run AND f.piece = $3::integer
 WHERE r.run = $1::bigint AND r.token = $2::uuid;
