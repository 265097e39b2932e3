-- Which night is asked for, and the last ones there were: the night (the newest that has come, where none was named), whether its instant is
-- yet to come, the last night that is done, the one that was begun and is not done, and the newest one whose instant is yet to come.
-- $1 date the night, or NULL
-- $2 timestamptz now
-- $3 time when in the night
-- $4 text zone
SELECT n.night::text, (n.night + $3::time) AT TIME ZONE $4::text > $2::timestamptz,
       (SELECT max(night)::text FROM finance.night_run WHERE ended_at IS NOT NULL),
       (SELECT min(night)::text FROM finance.night_run WHERE ended_at IS NULL),
       (SELECT max(night)::text FROM finance.night_run WHERE at > $2::timestamptz)
  FROM (SELECT COALESCE($1::date, CASE WHEN (d.today + $3::time) AT TIME ZONE $4::text > $2::timestamptz THEN d.today - 1 ELSE d.today END) AS night
          FROM (SELECT ($2::timestamptz AT TIME ZONE $4::text)::date AS today) d) n;
