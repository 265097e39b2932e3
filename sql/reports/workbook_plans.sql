-- Plans each page of this transaction for where it begins: a plan for any page would sort all rows for every page.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);
