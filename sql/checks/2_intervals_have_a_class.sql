-- every interval belongs to a request class that is known
SELECT i.class_id AS class, min(i.rating_run) AS first_run, count(*) AS increments
  FROM (SELECT class_id, rating_run FROM metering.usage_interval UNION ALL SELECT class_id, rating_run FROM metering.usage_interval_extra) i
 WHERE NOT EXISTS (SELECT FROM metering.request_class c WHERE c.class_id = i.class_id)
 GROUP BY i.class_id;
