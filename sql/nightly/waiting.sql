-- Does anything wait for a person: a tenant that is parked, usage on hold in a month that is not closed for good, a record in quarantine?
SELECT EXISTS (SELECT FROM finance.parked_now)
    OR EXISTS (SELECT FROM finance.rating_in_force f JOIN finance.hold h USING (rating_id)
                WHERE NOT EXISTS (SELECT FROM finance.period_state s WHERE s.period = f.period AND s.state = 'hard'))
    OR EXISTS (SELECT FROM metering.quarantine q WHERE NOT EXISTS (SELECT FROM metering.quarantine_resolution r WHERE r.quarantine_id = q.quarantine_id));
