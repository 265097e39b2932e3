# A JSON Schema beside the program that reads the same language; run by /usr/bin/python3, for which Debian has python3-jsonschema.
#   schema.py valid SCHEMA FILE...     what is wrong with each file; fails where something is
#   schema.py meters SCHEMA METERS     the meters of the schema are those of meters.def
#   schema.py keys SCHEMA FILE...      every key of the schema stands in one of the files
#   schema.py change FILE FOLDER       copies of a document, each with one change: a key left out, one added, a value of another type
#   schema.py patch FILE FOLDER        the same, changed as standard input says: lines of a path, a blank, and a JSON value
#   schema.py agree SCHEMA FOLDER ALLOWED <VERDICTS
# `agree` compares the schema's word on every file of a folder with the program's, of which standard input has a line for each file:
# FILE: yes, or FILE: and why not.  What the schema refuses the program must refuse.  What it accepts the program may refuse only for
# a reason that matches a line of ALLOWED: what a schema cannot say.
import copy
import json
import pathlib
import re
import sys

import jsonschema


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def validator(path):
    schema = read(path)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def valid(schema, *files):
    check, bad = validator(schema), 0
    for file in files:
        for error in check.iter_errors(read(file)):
            print(f"{file}: {error.json_path}: {error.message[:300]}")
            bad = 1
    return bad


def meters(schema, meters_def):
    listed = read(schema)["$defs"]["meter"]["enum"]
    known = re.findall(r"^METER\(\d+, (\w+),", pathlib.Path(meters_def).read_text(encoding="utf-8"), re.MULTILINE)
    for name in sorted(set(known) ^ set(listed)):
        print(f"{name}: only in {'meters.def' if name in known else 'the schema'}")
    return 0 if known and known == listed else 1


def schema_keys(node):
    if isinstance(node, list):
        return set().union(*map(schema_keys, node))
    if not isinstance(node, dict):
        return set()
    found = {key for key, value in node.get("properties", {}).items() if value is not False}
    for value in node.values():
        found |= schema_keys(value)
    return found


def document_keys(node):
    if isinstance(node, list):
        return set().union(*map(document_keys, node))
    return set(node).union(*map(document_keys, node.values())) if isinstance(node, dict) else set()


def keys(schema, *files):
    missing = schema_keys(read(schema)) - set().union(*(document_keys(read(file)) for file in files))
    for key in sorted(missing):
        print(f"{key}: in none of the files")
    return 1 if missing else 0


def places(node, path=()):
    yield path
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield from places(node[key], path + (key,))


def at(node, path):
    for key in path:
        node = node[key]
    return node


def changed(document, path, change):
    made = copy.deepcopy(document)
    change(at(made, path[:-1]), path[-1])
    return made


def put(value):
    def change(node, key):
        node[key] = value

    return change


def others(value):
    return [other for other in ("?", 7, {}) if type(other) is not type(value) or other == "?"]


def changes(document):
    for path in places(document):
        value = at(document, path)
        if isinstance(value, dict):
            yield changed(document, path + ("unknown",), put(1))
        if not path:
            continue
        if isinstance(path[-1], str):
            yield changed(document, path, lambda node, key: node.pop(key))
        for other in others(value):
            yield changed(document, path, put(other))


def write(folder, documents):
    pathlib.Path(folder).mkdir()
    for number, document in enumerate(documents):
        (pathlib.Path(folder) / f"{number:05}.json").write_text(json.dumps(document), encoding="utf-8")
    return 0


def change(file, folder):
    return write(folder, changes(read(file)))


def patches(document):
    for line in sys.stdin.read().splitlines():
        path, value = line.split(maxsplit=1)
        steps = [int(step[1:-1]) if step.startswith("[") else step for step in re.findall(r"\[\d+\]|[^.\[]+", path)]
        yield changed(document, tuple(steps), put(json.loads(value)))


def patch(file, folder):
    return write(folder, patches(read(file)))


def agree(schema, folder, allowed):
    check, bad, both = validator(schema), 0, {True: 0, False: 0}
    reasons = [re.compile(line) for line in pathlib.Path(allowed).read_text(encoding="utf-8").splitlines() if line]
    verdicts = dict(line.split(": ", 1) for line in sys.stdin.read().splitlines())
    for file in sorted(pathlib.Path(folder).iterdir()):
        said = verdicts.get(file.name, "nothing")
        error = next(check.iter_errors(read(file)), None)
        if (said == "yes") == (error is None):
            both[said == "yes"] += 1
        elif said == "yes":
            print(f"{file.name}: only the schema refuses it: {error.json_path}: {error.message[:200]}")
            bad = 1
        elif not any(reason.search(said) for reason in reasons):
            print(f"{file.name}: only the program refuses it: {said}")
            bad = 1
    print(f"both accept {both[True]} and refuse {both[False]}")
    return bad


sys.exit({"valid": valid, "meters": meters, "keys": keys, "change": change, "patch": patch, "agree": agree}[sys.argv[1]](*sys.argv[2:]))
