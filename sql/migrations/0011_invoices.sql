-- Invoices come by the thousand.  What looked at each new line and at each posting looks at all of a statement at once, and refuses the same.

-- Lines of a final invoice stay as they are, and no line is without an invoice.  As behind a foreign key, the invoices stay until the
-- transaction ends.
CREATE FUNCTION finance.refuse_added_lines() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	wanted bigint;
	found  bigint;
	final  text;
BEGIN
	SELECT count(DISTINCT invoice_id) INTO wanted FROM added;
	SELECT count(*), min(number) INTO found, final
	  FROM (SELECT v.number FROM (SELECT DISTINCT invoice_id FROM added) a JOIN finance.invoice v USING (invoice_id) FOR KEY SHARE OF v) v;
	IF final IS NOT NULL THEN
		RAISE EXCEPTION 'invoice % is final: % of a line is refused', final, TG_OP
			USING ERRCODE = 'restrict_violation', HINT = 'A final invoice is put right by a credit note, never changed.';
	END IF;
	IF found <> wanted THEN
		RAISE EXCEPTION 'a line has no invoice' USING ERRCODE = 'foreign_key_violation';
	END IF;
	RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION finance.refuse_final_line() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	final text;
BEGIN
	SELECT number INTO final FROM finance.invoice WHERE invoice_id = OLD.invoice_id AND status = 'final';
	IF FOUND THEN
		RAISE EXCEPTION 'invoice % is final: % of a line is refused', final, TG_OP
			USING ERRCODE = 'restrict_violation', HINT = 'A final invoice is put right by a credit note, never changed.';
	END IF;
	RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
DROP TRIGGER final_is_final ON finance.invoice_line;
CREATE TRIGGER final_is_final BEFORE UPDATE OR DELETE ON finance.invoice_line FOR EACH ROW EXECUTE FUNCTION finance.refuse_final_line();
CREATE TRIGGER added_to_draft AFTER INSERT ON finance.invoice_line REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION finance.refuse_added_lines();
CREATE TRIGGER moved_to_draft AFTER UPDATE ON finance.invoice_line REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION finance.refuse_added_lines();

-- The lines of a draft go with it.
CREATE FUNCTION finance.delete_lines() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM finance.invoice_line l USING removed r WHERE l.invoice_id = r.invoice_id;
	RETURN NULL;
END $$;
ALTER TABLE finance.invoice_line DROP CONSTRAINT invoice_line_invoice_id_fkey;
CREATE TRIGGER lines_go_too AFTER DELETE ON finance.invoice REFERENCING OLD TABLE AS removed
	FOR EACH STATEMENT EXECUTE FUNCTION finance.delete_lines();
-- A draft keeps its number, so that its lines do not lose it.
CREATE FUNCTION finance.refuse_renumbered_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'invoice % keeps its number', OLD.invoice_id USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER keeps_its_id BEFORE UPDATE ON finance.invoice FOR EACH ROW WHEN (OLD.invoice_id <> NEW.invoice_id)
	EXECUTE FUNCTION finance.refuse_renumbered_invoice();

-- Nothing is posted in a month that is closed: each day and person of a statement is looked at once.
CREATE OR REPLACE FUNCTION finance.refuse_closed_posting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	posted record;
BEGIN
	FOR posted IN EXECUTE format('SELECT DISTINCT a.%I::timestamptz::date AS day, a.%I AS who FROM added a', TG_ARGV[0], TG_ARGV[1]) LOOP
		PERFORM finance.refuse_posting(posted.day, posted.who);
	END LOOP;
	RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION finance.refuse_closed_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	posted record;
BEGIN
	FOR posted IN SELECT DISTINCT a.issued_on, a.finalized_by FROM added a WHERE a.status = 'final' LOOP
		PERFORM finance.refuse_posting(posted.issued_on, posted.finalized_by);
	END LOOP;
	FOR posted IN SELECT DISTINCT a.period, a.finalized_by FROM added a WHERE a.status = 'final' AND a.kind = 'period' LOOP
		IF finance.period_is_closed(posted.period) AND NOT EXISTS (
			SELECT FROM finance.period_state s JOIN finance.role_member m ON m.who = posted.finalized_by AND m.role = 'finance'
			 WHERE s.period = posted.period AND s.state = 'soft') THEN
			RAISE EXCEPTION '% is closed: no invoice of it is issued', posted.period
				USING ERRCODE = 'restrict_violation', HINT = 'Re-rate it: what it comes to becomes an adjustment in the open month.';
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
DROP TRIGGER posting ON finance.invoice;
CREATE TRIGGER posting AFTER INSERT ON finance.invoice REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION finance.refuse_closed_invoice();
CREATE TRIGGER posting_of_draft AFTER UPDATE ON finance.invoice REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION finance.refuse_closed_invoice();

DO $$
DECLARE
	posting text[];
	name text[];
BEGIN
	FOREACH posting SLICE 1 IN ARRAY ARRAY[['credit_note', 'issued_on', 'issued_by'], ['credit_entry', 'booked_at', 'booked_by'],
		['payment', 'booked_at', 'booked_by'], ['write_off', 'booked_at', 'booked_by'], ['adjustment', 'booked_at', 'booked_by'],
		['balance_entry', 'booked_at', 'booked_by']] LOOP
		EXECUTE format('DROP TRIGGER posting ON finance.%I', posting[1]);
		EXECUTE format('CREATE TRIGGER posting AFTER INSERT ON finance.%I REFERENCING NEW TABLE AS added
			FOR EACH STATEMENT EXECUTE FUNCTION finance.refuse_closed_posting(%L, %L)', posting[1], posting[2], posting[3]);
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER posting', posting[1]);
	END LOOP;
	FOREACH name SLICE 1 IN ARRAY ARRAY[['invoice_line', 'final_is_final'], ['invoice_line', 'added_to_draft'], ['invoice_line', 'moved_to_draft'],
		['invoice', 'lines_go_too'], ['invoice', 'keeps_its_id'], ['invoice', 'posting'], ['invoice', 'posting_of_draft']] LOOP
		EXECUTE format('ALTER TABLE finance.%I ENABLE ALWAYS TRIGGER %I', name[1], name[2]);
	END LOOP;
END $$;
