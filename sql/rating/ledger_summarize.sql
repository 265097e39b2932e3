-- Lets the indexes of the ledger and by run know of the rows that came since a vacuum saw to them: what they do not know is read whole by
-- every run, by every part of it, and that would be more with a larger ledger.  Not where most of a small ledger is new anyway.
WITH size AS (
	SELECT COALESCE(sum(b.ledger_rows), 0) AS rows, COALESCE(sum(b.ledger_rows) FILTER (WHERE s.batch_id IS NULL), 0) AS pending
	  FROM metering.ingest_batch b LEFT JOIN metering.summed_batch s USING (batch_id)
), indexes AS (
	SELECT inhrelid AS index FROM pg_catalog.pg_inherits WHERE inhparent = 'metering.usage_event_place'::regclass
	UNION ALL SELECT 'metering.usage_interval_run'::regclass
	UNION ALL SELECT 'metering.usage_interval_extra_run'::regclass
)
SELECT COALESCE(sum(brin_summarize_new_values(i.index)), 0)
  FROM indexes i, size WHERE size.pending > 0 AND (size.pending * 2 < size.rows OR size.pending > 500000);
