-- The filter of a run of the register, in binary.
COPY metering.key_filter (run, piece, bits) FROM STDIN (FORMAT binary);
