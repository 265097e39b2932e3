-- What each source brought, newest first.
SELECT p.kind, p.name, to_char(p.opened_at, 'YYYY-MM-DD HH24:MI:SS"Z"'), COALESCE(sum(b.records), 0), COALESCE(sum(b.accepted), 0),
       COALESCE(sum(b.duplicates), 0), COALESCE(sum(b.ignored), 0), COALESCE(sum(b.quarantined), 0), COALESCE(sum(b.rejected), 0),
       p.next_position, CASE WHEN p.finished_at IS NULL THEN 'no' ELSE 'yes' END
  FROM metering.source_position p
  LEFT JOIN metering.ingest_batch b USING (position_id)
 GROUP BY p.position_id
 ORDER BY p.position_id DESC;
