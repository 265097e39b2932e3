-- The space of runs that were merged becomes free for the next ones.  Whoever may not, or comes while somebody else does it, leaves it.
VACUUM (SKIP_LOCKED, TRUNCATE false) metering.key_page, metering.key_filter;
