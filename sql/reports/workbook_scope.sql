-- What a period's workbook is made of: counts of rows, the runs in force, and how far the ledger was summed.  Ledger rows are counted,
-- not batches: these, and their numbers, need not be the same in a ledger that has the same usage.
-- $1 text  period, YYYY-MM
-- $2 text  tenant, '' for all
WITH ratings AS (
	SELECT * FROM finance.current_rating WHERE period = $1::text AND $2::text IN ('', tenant)
), runs AS (
	SELECT * FROM finance.rating_run WHERE rating_run IN (SELECT rating_run FROM ratings)
), summed AS (
	SELECT sum(b.ledger_rows) AS ledger_rows, max(b.appended_at) FILTER (WHERE b.ledger_rows > 0) AS newest
	  FROM metering.summed_batch s JOIN metering.ingest_batch b USING (batch_id)
	 WHERE s.rating_run <= (SELECT max(summed_until) FROM ratings)
)
SELECT (SELECT count(*) FROM ratings),
       (SELECT string_agg(rating_run::text, ', ' ORDER BY rating_run) FROM runs),
       (SELECT string_agg(DISTINCT code_version, ', ') FROM runs),
       (SELECT string_agg(DISTINCT zone_data, ', ') FROM runs),
       (SELECT (extract(epoch FROM max(started_at)) * 1000000)::bigint FROM runs),
       (SELECT COALESCE(ledger_rows, 0)::bigint FROM summed),
       (SELECT (extract(epoch FROM newest) * 1000000)::bigint FROM summed),
       (SELECT COALESCE(sum(ledger_rows), 0)::bigint FROM metering.ingest_batch),
       (SELECT count(*) FROM ratings JOIN finance.charge USING (rating_id)),
       (SELECT count(*) FROM ratings JOIN finance.hold USING (rating_id)),
       (SELECT count(*) FROM finance.invoice WHERE period = $1::text AND $2::text IN ('', tenant)),
       (SELECT count(*) FROM finance.invoice JOIN finance.invoice_line USING (invoice_id)
         WHERE period = $1::text AND $2::text IN ('', tenant));
