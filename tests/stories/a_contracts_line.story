A contract includes a thousand tokens, gives a tenth off, and has a fee.  A customer asks about the line that is of no model.

    $ tollbook init >setup.txt
    $ tollbook prices publish --quiet --as-of 2026-10-01 examples/prices/public-usd.json >>setup.txt
    $ cat >tenants.json <<'END'
    > {"issuers": [{"issuer": "TF", "name": "Token Factory Inc."}],
    >  "tenants": [{"tenant": "acme", "name": "Acme", "currency": "USD", "zone": "UTC", "book": "public-usd", "issuer": "TF", "effective": "2026-10-01",
    >   "terms": {"allowances": [{"name": "included", "meters": ["output_text_tokens"], "quantity": 1000}],
    >    "discounts": [{"name": "launch", "percent": "10"}],
    >    "fees": [{"name": "platform", "amount": "99"}]}}]}
    > END
    $ tollbook tenant apply --quiet --as-of 2026-10-01 tenants.json >>setup.txt
    $ cat >usage.ndjson <<'END'
    > {"idempotency_key":"a-1","tenant":"acme","time":"2026-10-20T10:00:00Z","model":"gpt-5-mini","input_tokens":4000000,"output_tokens":2001000}
    > END
    $ tollbook ingest --quiet --as-of 2026-10-31 usage.ndjson
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        1         1           0        0            0         0
    $ tollbook rate --quiet --as-of 2026-10-31
    nothing is held
    $ tollbook invoice draft --as-of 2026-10-31
    tenant  period   lines     net   tax   total  currency  status
    acme    2026-10      4  103.50  0.00  103.50  USD       draft
    $ tollbook invoice show acme:2026-10
    DRAFT
    from      Token Factory Inc. (TF)
    to        Acme (acme)
    period    2026-10, 2026-10-01T00:00:00Z to 2026-11-01T00:00:00Z, zone UTC
    rated     by run 1
    status    draft
    
    line  model              service tier  meter                       priced as  price tier  quantity  price      per  exact  amount  price rule
       1  gpt-5-mini         default       input_text_uncached_tokens                          4000000   0.25  1000000      1    1.00  public-usd v1 rule 3
       2  gpt-5-mini         default       output_text_tokens                                  2000000      2  1000000      4    4.00  public-usd v1 rule 3
       3  launch: 10 % of 5                                                                                              -0.5   -0.50  discount
       4  platform: 99                                                                                                     99   99.00  fee
    
    net                    103.50  103.5 before rounding of the lines
    credits                        drawn when it is finalized
    tax                      0.00
    total                  103.50  USD
    $ tollbook explain acme:2026-10/3
    line        acme:2026-10/3: discount: what a discount takes off
    contract    of acme, in force from 2026-10-01T00:00:00Z, applied 2026-10-01T00:00:00Z by tester
    terms       [{"name": "launch", "percent": "10"}]
    over        2026-10-01T00:00:00Z to 2026-11-01T00:00:00Z
    arithmetic  launch: 10 % of 5; comes to -0.5 USD
    rounded     -0.50 USD, once, half away from zero
