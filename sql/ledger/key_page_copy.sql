-- Pages of a run of the register, in binary; ledger/key_page.h says what is in one.
COPY metering.key_page (run, first_id, keys) FROM STDIN (FORMAT binary);
