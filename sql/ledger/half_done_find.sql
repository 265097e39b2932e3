-- Of the batches that booked these identities, those whose rows are not all to be seen yet; none where the ledger is on one machine.
-- $1 uuid[] identities
SELECT h.batch_id, h.ledger_rows, h.seen
  FROM metering.half_done(ARRAY(SELECT k.batch_id FROM metering.usage_keys($1::uuid[]) k WHERE metering.ledger_is_distributed())) h
 ORDER BY h.batch_id;
