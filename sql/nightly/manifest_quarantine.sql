-- How many records wait in quarantine.
SELECT count(*) FROM metering.quarantine q
 WHERE NOT EXISTS (SELECT FROM metering.quarantine_resolution r WHERE r.quarantine_id = q.quarantine_id);
