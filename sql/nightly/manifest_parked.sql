-- What is parked.
SELECT tenant, period, reason, trim_scale(measured), currency FROM finance.parked_now ORDER BY tenant, period, reason, parked_at, parked_id;
