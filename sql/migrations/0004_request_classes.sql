-- What prices tell requests apart by, beyond the series: sizes, places of tokens within a request, engine and tags.

-- A kind of request.  Intervals are summed by series and class, so that a price that depends on the single request can be applied to
-- sums.  input_from, uncached_from and output_from: the greatest boundary in force that is not above the request's size; 0 below all
-- of them, -1 where there is no boundary or the size is not known.  part_from: the same for the place of each token on its side of the
-- request.  engine: its name where engines are told apart and it is stated.  tags: a JSON object of texts, keys sorted, of the
-- tags that are told apart and stated.
CREATE TABLE metering.request_class (
	class_id      integer PRIMARY KEY,
	input_from    bigint NOT NULL CHECK (input_from >= -1),
	uncached_from bigint NOT NULL CHECK (uncached_from >= -1),
	output_from   bigint NOT NULL CHECK (output_from >= -1),
	part_from     bigint NOT NULL CHECK (part_from >= -1),
	engine        text NOT NULL COLLATE "C",
	tags          text NOT NULL COLLATE "C"
);
INSERT INTO metering.request_class VALUES (0, -1, -1, -1, -1, '', '{}');

-- What a version of a price book tells requests apart by, from the instant on that it is effective.  A boundary is the first
-- size, or place from 0, that is beyond it.
CREATE TABLE finance.price_distinction (
	price_book_version_id bigint NOT NULL REFERENCES finance.price_book_version,
	kind                  text NOT NULL COLLATE "C" CHECK (kind IN ('input', 'uncached_input', 'output', 'part', 'engine', 'tag')),
	boundary              bigint NOT NULL,
	name                  text NOT NULL COLLATE "C",  -- the key of a tag, else ''
	PRIMARY KEY (price_book_version_id, kind, boundary, name),
	CHECK (boundary > 0 OR (boundary = 0 AND kind IN ('engine', 'tag'))),
	CHECK ((kind = 'tag') = (name <> ''))
);

-- What the intervals follow: events from the lowest `since` on are summed by it.  A rating run adds what is new, and in the same
-- transaction moves what was summed before into its classes.
CREATE TABLE metering.distinction (
	kind       text NOT NULL COLLATE "C",
	boundary   bigint NOT NULL,
	name       text NOT NULL COLLATE "C",
	since      timestamptz NOT NULL,
	rating_run bigint NOT NULL,
	PRIMARY KEY (kind, boundary, name, since)
);

ALTER TABLE metering.usage_interval ADD COLUMN class_id integer NOT NULL DEFAULT 0;
ALTER TABLE metering.usage_interval_extra ADD COLUMN class_id integer NOT NULL DEFAULT 0;

CREATE OR REPLACE VIEW metering.interval_quantity AS
	SELECT i.rating_run, i.series_id, i.interval_start, q.meter_id, q.quantity::numeric(38,0) AS quantity, i.class_id
	  FROM metering.usage_interval i
	 CROSS JOIN LATERAL (
		VALUES (1::smallint, i.requests), (2, i.input_text_uncached_tokens), (3, i.input_text_cache_read_tokens),
		       (4, i.input_text_cache_write_5m_tokens), (5, i.input_text_cache_write_1h_tokens),
		       (6, i.output_text_tokens), (7, i.output_reasoning_tokens)
	 ) AS q (meter_id, quantity)
	 WHERE q.quantity IS NOT NULL
	UNION ALL
	SELECT rating_run, series_id, interval_start, meter_id, quantity, class_id FROM metering.usage_interval_extra;

-- The context of the event that a correction or void took back.  A reversal repeats it; those written before this migration do not,
-- and must be found in the class of their original all the same.  Both rows have the original's time.
CREATE INDEX usage_correction_by ON metering.usage_correction (event_id);
CREATE FUNCTION metering.original_context(correction uuid, at timestamptz) RETURNS text STABLE PARALLEL SAFE LANGUAGE sql AS $$
	SELECT e.context
	  FROM metering.usage_correction c
	  JOIN metering.usage_key k ON k.event_id = c.original_event_id
	  JOIN metering.usage_event e ON e.batch_id = k.batch_id AND e.event_id = k.event_id AND e.kind = 1 AND e.event_time = at
	 WHERE c.event_id = correction
$$;

DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['metering.request_class', 'metering.distinction', 'finance.price_distinction'] LOOP
		EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION metering.refuse_change()', name);
		EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only', name);
		EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only_truncate', name);
	END LOOP;
END $$;
