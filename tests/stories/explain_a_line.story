A customer asks about a line of an invoice.  The answer is the rule, the arithmetic, and the calls.

    $ tollbook init >setup.txt
    $ tollbook prices publish --quiet --as-of 2026-10-01 examples/prices/public-usd.json >>setup.txt
    $ tollbook tenant apply --quiet --as-of 2026-10-01 examples/tenants.json >>setup.txt
    $ cat >usage.ndjson <<'END'
    > {"idempotency_key":"a-1","tenant":"acme","time":"2026-10-20T10:00:00Z","model":"gpt-5-mini","input_tokens":1500,"cached_input_tokens":500,"output_tokens":1000}
    > {"idempotency_key":"a-2","tenant":"acme","time":"2026-10-20T10:10:00Z","model":"gpt-5-mini","input_tokens":2000,"output_tokens":3000}
    > {"idempotency_key":"a-3","tenant":"acme","time":"2026-10-21T10:00:00Z","model":"gpt-5-mini","input_tokens":0,"output_tokens":2500}
    > END
    $ tollbook ingest --as-of 2026-11-02 usage.ndjson
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        3         3           0        0            0         0
    $ tollbook rate --as-of 2026-11-02
    run 1: 3 ledger rows of 1 batches into 2 interval sums; 1 tenant periods rated: 4 charges, 0 holds
    nothing is held
    $ tollbook invoice draft --as-of 2026-11-02
    tenant  period   lines   net   tax  total  currency  status
    acme    2026-10      3  0.01  0.00   0.01  USD       draft
    $ tollbook invoice finalize --as-of 2026-11-02
    number              tenant  period    net  credits   tax  total  from balance  currency  status
    TF-INV-2026-000001  acme    2026-10  0.01     0.00  0.00   0.01          0.00  USD       final
    $ tollbook invoice show TF-INV-2026-000001 --format csv
    line,model,service_tier,meter,priced_as,tier,quantity,price,per,exact_amount,amount,price_rule,kind,billed,detail,adjustment
    1,gpt-5-mini,default,input_text_uncached_tokens,,,3000,0.25,1000000,0.00075,0.00,public-usd v1 rule 3,usage,3000,,
    2,gpt-5-mini,default,input_text_cache_read_tokens,,,500,0.025,1000000,0.0000125,0.00,public-usd v1 rule 3,usage,500,,
    3,gpt-5-mini,default,output_text_tokens,,,6500,2,1000000,0.013,0.01,public-usd v1 rule 3,usage,6500,,

Line 3 has 6500 output tokens, in two quarters of an hour, from three calls.

    $ tollbook explain TF-INV-2026-000001/3
    line        TF-INV-2026-000001/3: gpt-5-mini, output_text_tokens, service tier default
    price       2 USD per 1000000
    from        public-usd version 1, effective 2026-01-01T00:00:00Z, rule 3
    rule        {"model": "gpt-5-mini", "prices": {"output_text_tokens": {"per": 1000000, "price": "2"}, "input_text_uncached_tokens": {"per": 1000000, "price": "0.25"}, "input_text_cache_read_tokens": {"per": 1000000, "price": "0.025"}}}
    arithmetic  6500 x 2 / 1000000 = 0.013
    rounded     0.01 USD, once, half away from zero
    
    intervals   2 of 15 minutes, together 6500 (all charges on this usage: 6500)
    interval              quantity  running total
    2026-10-20T10:00:00Z      4000           4000
    2026-10-21T10:00:00Z      2500           6500
    
    events      the first 3, by time
    time                         source  id   kind   quantity  batch  record  file
    2026-10-20T10:00:00.000000Z  /short  a-1  usage      1000      1       1  usage.ndjson
    2026-10-20T10:10:00.000000Z  /short  a-2  usage      3000      1       2  usage.ndjson
    2026-10-21T10:00:00.000000Z  /short  a-3  usage      2500      1       3  usage.ndjson
