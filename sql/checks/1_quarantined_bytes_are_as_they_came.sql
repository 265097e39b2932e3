-- the bytes of each quarantined record = their digest
SELECT quarantine_id, record, encode(raw_digest, 'hex') AS came, encode(sha256(raw), 'hex') AS kept
  FROM metering.quarantine
 WHERE raw_digest <> sha256(raw);
