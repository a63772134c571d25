"""Every document that the program prints must fit docs/schema/kith.schema.json. KithCase.run_kith asks for it."""
import functools
import json
import pathlib

import jsonschema

SCHEMA = pathlib.Path(__file__).parent.parent.parent / "docs" / "schema" / "kith.schema.json"
# What each verb may print, besides an error.
OF_VERB = {
    "query": ["answer"], "explain": ["explanation"], "budget": ["budget"], "import": ["import"], "columns": ["columns"], "policy": ["policy_diff"], "transfer": ["transferred", "comparison", "gaussian", "many_answers", "prefix_sums"], "probe": ["proof"],
    "audit": ["policy_audit", "model_audit", "gallery"], "rho": ["rho"], "affinity": ["affinity"], "leakage": ["leakage", "leakage_pairs", "choice"], "attack": ["attack"], "experiment": ["figures"],
    "sample": ["sample"], "predict": ["prediction"], "estimate": ["estimate", "cause"], "user": ["users", "token", "budget"], "approvals": ["approvals"], "ledger": ["carried", "ledger_state"], "analyse": ["answer", "explanation"], "check": ["answer", "explanation"], "plan": ["answer", "explanation"],
}


@functools.lru_cache(maxsize=None)
def whole():
    return json.loads(SCHEMA.read_text())  # a schema itself: test_documents.py looks, once for all


@functools.lru_cache(maxsize=None)
def validator(name):
    return jsonschema.Draft202012Validator({"$schema": whole()["$schema"], "$ref": f"#/$defs/{name}", "$defs": whole()["$defs"]})


def faults(document, names):
    """Why the document fits none of them; nothing if it fits one."""
    found = []
    for name in names:
        errors = [f"{name}: {'/'.join(map(str, error.path))}: {error.message[:300]}" for error in validator(name).iter_errors(document)]
        if not errors:
            return []
        found += errors
    return found


def expected(arguments):
    """The documents that a command may print; nothing if it prints none."""
    words = [str(word) for word in arguments]
    formatted = any(a == "--format" and b == "json" for a, b in zip(words, words[1:]))
    if not words or words[0] not in OF_VERB or ("--json" not in words and not formatted):
        return []
    if words[0] == "analyse" and "stream" in words:
        return ["stream_head", "stream_step", "error"]
    if words[0] == "analyse" and "records" in words:
        return ["records", "error"]
    return OF_VERB[words[0]] + ["error"]


def check(arguments, text):
    """Raises AssertionError if a command printed anything else than documents that fit the schema."""
    names = expected(arguments)
    for line in text.splitlines() if names else []:
        wrong = faults(json.loads(line), names)
        assert not wrong, "\n".join([f"kith {' '.join(map(str, arguments))} printed a document that does not fit the schema:"] + wrong[:10])
