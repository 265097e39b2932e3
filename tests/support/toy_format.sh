# Sourced by tests of usage formats: a format of our own making, and its records.
#   toy_format                                   its description
#   answer ID TENANT TIME INPUT CACHED OUTPUT    a payload; INPUT includes CACHED
#   passes ID TENANT TIME INPUT INPUT            one that was made in two passes
toy_format() {
	cat <<'END'
{
  "tollbook_format": 1,
  "format": "toy",
  "title": "Answers of a gateway that nobody has",
  "about": "Made up for tests.",
  "at": ["", "events/[]"],
  "each": ["events/[]"],
  "fields": {"id": "call", "tenant": "customer", "time": "at", "model": "model"},
  "constants": {"operation": "chat", "provider": "p"},
  "unsafe": {"spool": "a position in a spool file, which begins again with each file"},
  "input": {"total": "usage/in", "inside": {"cache_read": "usage/cached"}},
  "output": {"total": "usage/out"},
  "stream": {"end": ["[DONE]"]},
  "iterations": {"path": "usage/passes", "instead_of": "usage"}
}
END
}
answer() { printf '{"call":"%s","customer":"%s","at":"%s","model":"small","usage":{"in":%s,"cached":%s,"out":%s}}\n' "$@"; }
passes() {
	printf '{"call":"%s","customer":"%s","at":"%s","model":"small","usage":{"passes":[{"in":%s,"cached":0,"out":5},{"in":%s,"cached":0,"out":5}]}}\n' "$@"
}
