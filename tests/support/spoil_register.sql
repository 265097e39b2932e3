-- For tests that spoil the dedupe register where its guards are off.
CREATE SCHEMA spoil;

-- Its keys with the run and the page that they are in.
CREATE VIEW spoil.key AS
	SELECT r.run, p.first_id, r.first_batch, metering.page_uuid(p.keys, 16 * i) AS event_id, metering.page_uuid(p.keys, 16 * (n + i)) AS content,
	       metering.page_time(p.keys, 32 * n + 8 * i) AS event_time, r.first_batch + metering.page_batch(p.keys, 40 * n + 4 * i) AS batch_id
	  FROM metering.key_run r
	  JOIN metering.key_page p USING (run)
	 CROSS JOIN LATERAL (SELECT octet_length(p.keys) / 44 AS n) c
	 CROSS JOIN LATERAL generate_series(0, c.n - 1) AS i;

-- Packs a run anew, with those of its keys that satisfy the condition.
CREATE FUNCTION spoil.pack(into_run bigint, condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TEMPORARY TABLE kept AS SELECT event_id, content, event_time, batch_id - first_batch AS batch FROM spoil.key WHERE run = %s AND (%s)',
		into_run, condition);
	DELETE FROM metering.key_page WHERE run = into_run;
	INSERT INTO metering.key_page
	SELECT into_run, min(event_id::text)::uuid,
	       string_agg(uuid_send(event_id), '' ORDER BY event_id) || string_agg(uuid_send(content), '' ORDER BY event_id) ||
	       string_agg(int8send(metering.epoch_us(event_time)), '' ORDER BY event_id) || string_agg(substr(int8send(batch), 5), '' ORDER BY event_id)
	  FROM (SELECT *, (row_number() OVER (ORDER BY event_id) - 1) / 60 AS page FROM kept) k
	 GROUP BY page;
	DROP TABLE kept;
END $$;

-- A key is put into a run that it was never in, as if the first batch there had booked it again.
CREATE FUNCTION spoil.book_again(into_run bigint, id uuid) RETURNS void LANGUAGE sql AS $$
	INSERT INTO metering.key_page
	SELECT into_run, event_id, uuid_send(event_id) || uuid_send(content) || int8send(metering.epoch_us(event_time)) || int4send(0) FROM spoil.key WHERE event_id = id;
	SELECT spoil.pack(into_run, 'true')
$$;

-- Takes a key away wherever it is, and nothing else.
CREATE FUNCTION spoil.take_away(id uuid) RETURNS void LANGUAGE sql AS $$
	SELECT spoil.pack(run, format('event_id <> %L', id)) FROM (SELECT DISTINCT run FROM spoil.key WHERE event_id = id) r
$$;

-- Entries and runs are made to fit the keys that are there.
CREATE FUNCTION spoil.fit() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE metering.register_entry e SET keys = k.keys, hash_sum = k.hash_sum
	  FROM (SELECT batch_id, count(*) AS keys, sum(metering.key_hash(event_id, content, event_time)) AS hash_sum FROM spoil.key GROUP BY batch_id) k
	 WHERE k.batch_id = e.batch_id;
	DELETE FROM metering.register_entry e WHERE NOT EXISTS (SELECT FROM spoil.key k WHERE k.batch_id = e.batch_id);
	DELETE FROM metering.key_run r WHERE NOT EXISTS (SELECT FROM spoil.key k WHERE k.run = r.run);
	CREATE TEMPORARY TABLE place AS SELECT batch_id, row_number() OVER (ORDER BY entry) AS entry FROM metering.register_entry;
	UPDATE metering.register_entry e SET entry = e.entry + 1000000;
	UPDATE metering.register_entry e SET entry = p.entry FROM place p WHERE p.batch_id = e.batch_id;
	UPDATE metering.key_run r SET first_entry = s.first_entry, last_entry = s.last_entry, keys = s.keys, hash_sum = s.hash_sum
	  FROM (SELECT k.run, min(e.entry) AS first_entry, max(e.entry) AS last_entry, count(*) AS keys,
	               sum(metering.key_hash(k.event_id, k.content, k.event_time)) AS hash_sum
	          FROM spoil.key k JOIN metering.register_entry e USING (batch_id) GROUP BY k.run) s
	 WHERE s.run = r.run;
	DROP TABLE place;
END $$;
