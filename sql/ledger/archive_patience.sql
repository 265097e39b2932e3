-- How long the locks of this transaction are waited for: everybody who books or reads usage waits behind them.
SELECT set_config('lock_timeout', '1s', true);
