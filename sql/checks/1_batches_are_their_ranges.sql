-- each batch of a Kafka consumer counts what its ranges count
SELECT b.batch_id AS batch, b.records, b.accepted, b.duplicates, r.records AS in_ranges, r.accepted AS accepted_in_ranges,
       r.duplicates AS duplicates_in_ranges
  FROM (SELECT b.* FROM metering.ingest_batch b JOIN metering.source_position p USING (position_id) WHERE p.kind = 'kafka') b
  FULL JOIN (SELECT batch_id, sum(records) AS records, sum(accepted) AS accepted, sum(duplicates) AS duplicates, sum(ignored) AS ignored,
                    sum(quarantined) AS quarantined, sum(rejected) AS rejected FROM metering.batch_range GROUP BY batch_id) r USING (batch_id)
 WHERE (b.records, b.accepted, b.duplicates, b.ignored, b.quarantined, b.rejected)
       IS DISTINCT FROM (r.records, r.accepted, r.duplicates, r.ignored, r.quarantined, r.rejected);
