-- Does this time zone exist?  One that a contract is in was looked for before: the server reads every file of its zone data to tell.
-- $1 text IANA name
SELECT CASE WHEN EXISTS (SELECT FROM finance.contract WHERE zone = $1::text) THEN true
            ELSE EXISTS (SELECT FROM pg_timezone_names WHERE name = $1::text) END;
