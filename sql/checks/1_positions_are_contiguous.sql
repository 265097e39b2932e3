-- each source was read without a gap, and its position is where its batches end
SELECT p.position_id AS source, p.name, b.batch_id AS batch, 'starts at ' || b.first_position || ', record ' || b.first_record ||
       ', after ' || b.before_position || ', record ' || b.before_record AS difference
  FROM metering.source_position p
  JOIN (SELECT *, COALESCE(lag(next_position) OVER w, 0) AS before_position,
               COALESCE(lag(first_record + records) OVER w, 1) AS before_record
          FROM metering.ingest_batch WINDOW w AS (PARTITION BY position_id ORDER BY first_record)) b USING (position_id)
 WHERE b.first_position <> b.before_position OR b.first_record <> b.before_record
UNION ALL
SELECT p.position_id, p.name, p.last_batch, 'stands at record ' || p.next_record || ', its batches end before ' || COALESCE(b.upto, 1)
  FROM metering.source_position p
  LEFT JOIN (SELECT position_id, max(first_record + records) AS upto FROM metering.ingest_batch GROUP BY position_id) b USING (position_id)
 WHERE p.next_record <> COALESCE(b.upto, 1);
