-- What is archived, in the order of months and parts.
-- $1 text month, YYYY-MM; '' for all
-- $2 text only those: 'archived', 'attached'; '' for all
SELECT a.archive_id, to_char(a.month, 'YYYY-MM'), a.part, a.state, a.rows, a.batches, a.bytes, a.file, a.folder, encode(a.digest, 'hex'),
       encode(a.rows_digest, 'hex'), to_char(a.written_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), a.written_by,
       (SELECT min(b.batch_id) FROM metering.archived_batch b WHERE b.archive_id = a.archive_id)
  FROM (SELECT r.*, CASE WHEN EXISTS (SELECT FROM metering.archive_out o WHERE o.archive_id = r.archive_id) THEN 'archived' ELSE 'attached' END AS state
          FROM metering.archive r) a
 WHERE $1::text IN ('', to_char(a.month, 'YYYY-MM')) AND $2::text IN ('', a.state)
 ORDER BY a.month, a.part;
