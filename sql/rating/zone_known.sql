-- Is there such a time zone?  Reading the list takes a while, so it is asked once for each zone of a file.
-- $1 text zone
SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = $1::text);
