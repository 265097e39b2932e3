A gateway counted a call wrongly.  Nothing is edited: a correction names the call, takes it back, and says it again.

    $ tollbook init >setup.txt
    $ tollbook prices publish --quiet --as-of 2026-10-01 examples/prices/public-usd.json >>setup.txt
    $ tollbook tenant apply --quiet --as-of 2026-10-01 examples/tenants.json >>setup.txt
    $ cat >usage.ndjson <<'END'
    > {"specversion":"1.0","type":"tollbook.usage.v1","source":"/gateway","id":"call-1","subject":"acme","time":"2026-10-31T12:00:00Z","data":{"operation":"chat","provider":"openai","model":"gpt-5-mini","quantities":{"requests":1,"input_text_uncached_tokens":4000000,"output_text_tokens":1000000}}}
    > END
    $ tollbook ingest --as-of 2026-11-01 usage.ndjson
    file          records  accepted  duplicates  ignored  quarantined  rejected
    usage.ndjson        1         1           0        0            0         0
    $ tollbook rate --as-of 2026-11-01
    run 1: 1 ledger rows of 1 batches into 1 interval sums; 1 tenant periods rated: 3 charges, 0 holds
    nothing is held

The correction is written two days later.  It is about usage of October, so it counts in October.

    $ cat >correction.ndjson <<'END'
    > {"specversion":"1.0","type":"tollbook.usage.v1","source":"/gateway","id":"call-1-corrected","subject":"acme","time":"2026-11-02T09:00:00Z","data":{"kind":"correction","ref":{"source":"/gateway","id":"call-1"},"operation":"chat","provider":"openai","model":"gpt-5-mini","quantities":{"requests":1,"input_text_uncached_tokens":4000000,"output_text_tokens":500000}}}
    > END
    $ tollbook ingest --as-of 2026-11-03 correction.ndjson
    file               records  accepted  duplicates  ignored  quarantined  rejected
    correction.ndjson        1         1           0        0            0         0
    $ tollbook rate --as-of 2026-11-03
    run 2: 2 ledger rows of 1 batches into 1 interval sums; 1 tenant periods rated: 3 charges, 0 holds
    nothing is held
    $ tollbook invoice draft --as-of 2026-11-03
    tenant  period   lines   net   tax  total  currency  status
    acme    2026-10      2  2.00  0.00   2.00  USD       draft
    $ tollbook invoice show acme:2026-10
    DRAFT
    from      Token Factory (TF)
    to        Acme Corporation (acme)
    period    2026-10, 2026-10-01T04:00:00Z to 2026-11-01T04:00:00Z, zone America/New_York
    rated     by run 2
    status    draft
    
    line  model       service tier  meter                       priced as  price tier  quantity  price      per  exact  amount  price rule
       1  gpt-5-mini  default       input_text_uncached_tokens                          4000000   0.25  1000000      1    1.00  public-usd v1 rule 3
       2  gpt-5-mini  default       output_text_tokens                                   500000      2  1000000      1    1.00  public-usd v1 rule 3
    
    net                      2.00  2 before rounding of the lines
    credits                        drawn when it is finalized
    tax                      0.00
    total                    2.00  USD

The ledger kept all three: the call, its reversal, and the call as it should have been.

    $ tollbook explain acme:2026-10/2 --as-of 2026-11-03
    line        acme:2026-10/2: gpt-5-mini, output_text_tokens, service tier default
    price       2 USD per 1000000
    from        public-usd version 1, effective 2026-01-01T00:00:00Z, rule 3
    rule        {"model": "gpt-5-mini", "prices": {"output_text_tokens": {"per": 1000000, "price": "2"}, "input_text_uncached_tokens": {"per": 1000000, "price": "0.25"}, "input_text_cache_read_tokens": {"per": 1000000, "price": "0.025"}}}
    arithmetic  500000 x 2 / 1000000 = 1
    rounded     1.00 USD, once, half away from zero
    
    intervals   1 of 15 minutes, together 500000 (all charges on this usage: 500000)
    interval              quantity  running total
    2026-10-31T12:00:00Z    500000         500000
    
    events      the first 3, by time
    time                         source    id                kind      quantity  batch  record  file
    2026-10-31T12:00:00.000000Z  /gateway  call-1            usage      1000000      1       1  usage.ndjson
    2026-10-31T12:00:00.000000Z  /gateway  call-1-corrected  usage       500000      2       1  correction.ndjson
    2026-10-31T12:00:00.000000Z  /gateway  call-1-corrected  reversal  -1000000      2       1  correction.ndjson

Corrected twice from the same original is a fork: which of the two is right?  The second one waits for a person.

    $ sed 's/call-1-corrected/call-1-corrected-too/; s/500000/600000/' correction.ndjson >fork.ndjson
    $ tollbook ingest --as-of 2026-11-03 fork.ndjson
      1 x E_REF_FORK: a second correction or void of one event; it must name the newest one
      look at them with: tollbook quarantine list
    file         records  accepted  duplicates  ignored  quarantined  rejected
    fork.ndjson        1         0           0        0            1         0
    (exit 7)
