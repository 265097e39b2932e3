-- The sums of an archive by meter, in whole smallest units.
-- $1 bigint archive
SELECT meter_id, sum(quantity) FROM metering.archived_quantity WHERE archive_id = $1::bigint GROUP BY meter_id ORDER BY meter_id;
