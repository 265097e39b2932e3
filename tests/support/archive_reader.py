"""Reads archive files as docs/formats.md describes them, and by nothing else: an archive must be readable without tollbook.

    zstd -dc FILE | archive_reader.py      sums of all rows by tenant and meter, then "proved" where all digests are those in the file
"""
import hashlib
import json
import struct
import sys

content = sys.stdin.buffer.read()
line, at = b"tollbook archive 1\n", 19
assert content.startswith(line)
parts = []
while at < len(content):
    kind, length = struct.unpack_from(">4sQ", content, at)
    parts.append((kind.decode(), content[at + 12:at + 12 + length]))
    at += 12 + length


def lines(kind):
    return [json.loads(line) for k, part in parts if k == kind for line in part.splitlines()]


def unsigned(column):
    number = shift = 0
    while True:
        byte = column.pop()
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number


def signed(column):
    number = unsigned(column)
    return -(number + 1) // 2 if number % 2 else number // 2


def octets(column, length=None):
    return bytes(column.pop() for _ in range(unsigned(column) if length is None else length))


def field(octets):
    return b"\xff\xff\xff\xff" if octets is None else struct.pack(">i", len(octets)) + octets


def digested(octets):
    return struct.pack(">Q", len(octets)) + octets


series = {s["series"]: s for s in lines("SERS")}
sources = {s["source"]: s["name"] for s in lines("SRCS")}
meters = {m["meter"]: m["name"] for m in lines("METR")}
digests, counts, totals, by_tenant = {}, {}, {}, {}


def take(row):
    batch, ordinal, kind, event, time, number, source, key, flags, context_tokens, quantities, extra, context = row
    columns = [struct.pack(">q", batch), struct.pack(">i", ordinal), struct.pack(">h", kind), event]
    columns += [struct.pack(">q", time - 946684800000000), struct.pack(">i", number), struct.pack(">i", source), key, struct.pack(">i", flags)]
    columns += [None if q is None else struct.pack(">q", q) for q in [context_tokens] + quantities]
    columns += [None if extra is None else struct.pack(">5i", 1, 0, 20, len(extra), 1) + b"".join(field(struct.pack(">q", e)) for e in extra)]
    columns += [context]
    digests.setdefault(batch, hashlib.sha256()).update(digested(struct.pack(">h", 19) + b"".join(map(field, columns))))
    counts[batch] = counts.get(batch, 0) + 1
    metered = [(i + 1, q) for i, q in enumerate(quantities) if q is not None]
    for meter, quantity in metered + list(zip((extra or [])[::2], (extra or [])[1::2])):
        totals[meters[meter]] = totals.get(meters[meter], 0) + quantity
        name = series[number]["tenant"], meters[meter]
        by_tenant[name] = by_tenant.get(name, 0) + quantity


def read(block):
    block = bytearray(reversed(block))
    rows = unsigned(block)
    columns = [bytearray(reversed(octets(block))) for _ in range(19)]
    batch = ordinal = time = 0
    for _ in range(rows):
        shape = unsigned(columns[0])
        batch, ordinal, time = batch + signed(columns[1]), ordinal + signed(columns[2]), time + signed(columns[3])
        number, source, key, flags = signed(columns[4]), signed(columns[5]), octets(columns[6]), signed(columns[7])
        optional = [signed(columns[8 + i]) if shape >> 1 + i & 1 else None for i in range(8)]
        extra = [signed(columns[16]) for _ in range(unsigned(columns[16]))] if shape >> 9 & 1 else None
        context = octets(columns[17]) if shape >> 10 & 1 else None
        if shape >> 11 & 1:
            event = octets(columns[18], 16)
        else:
            named = series[number]["tenant"].encode(), sources[source].encode(), key
            event = hashlib.sha256(b"".join(map(digested, named))).digest()[:16]
        take((batch, ordinal, 1 + (shape & 1), event, time, number, source, key, flags, optional[0], optional[1:], extra, context))
    assert not any(columns) and not block


for kind, part in parts:
    if kind == "ROWS":
        read(part)
whole = hashlib.sha256()
for batch in sorted(digests):
    whole.update(b"".join(map(digested, (struct.pack(">q", batch), struct.pack(">q", counts[batch]), digests[batch].digest()))))
done, = lines("DONE")
assert [(b["batch"], b["rows"], b["sha256"]) for b in lines("BATC")] == [(b, counts[b], digests[b].hexdigest()) for b in sorted(digests)]
sums = {meter: str(quantity) for meter, quantity in totals.items() if quantity}
assert done == {"rows": sum(counts.values()), "batches": len(counts), "sha256": whole.hexdigest(), "sums": sums}
for (tenant, meter), quantity in sorted(by_tenant.items()):
    print(tenant, meter, quantity)
print("proved")
