#!/usr/bin/env python3
"""Blocks flags and verbs of the command line in texts of the library: a server or a Python module would give wrong advice with them.

Below src/app and lab/cli no string names a flag (--epsilon) or a verb (kith budget). An error names the part of the request instead (Error::parameter),
and the table of src/app/cli/advice.cc (of the laboratory: lab/cli/advice.cc), which must know every such name, says how it is changed on the command line.

No program reads what an error says, either: what depends on an error depends on its code, parameter or `charged`. Tests may read texts."""
import pathlib
import re
import sys

VERBS = ["init", "import", "explain", "query", "analyse", "predict", "budget", "transfer", "probe", "audit", "attack", "leakage", "sample",
         "experiment", "user", "approvals"]
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
VERB = re.compile(r"\bkith (?:" + "|".join(VERBS) + r")\b")
PARAMETER = re.compile(r'\.For\("([^"]*)"\)|\bparameter = "([^"]*)"')
# Looking for something in an error's sentences, or comparing one; anywhere, whether something was charged.
READS = re.compile(r"""(?:\.|->)(?:what|next)\s*(?:\.\s*(?:find|rfind|starts_with|ends_with|contains|compare|replace)\s*\(|[!=]=\s*(?:"|[\w:]+\())
                       |(?:\.|->)Text\(\)\s*\.\s*(?:find|rfind|starts_with|ends_with|contains|compare)\s*\(
                       |(?:\bfind|\brfind|starts_with|ends_with|contains)\(\s*"[^"]*\bcharged\b
                       |[!=]=\s*"[^"]*\bcharged\b""", re.VERBOSE)
# File and string: what else it is.
EXCEPT = [("lab/probe/http.cc", '"kith probe"', "how the probe introduces itself to a server")]
ADVICE = {"src": "src/app/cli/advice.cc", "lab": "lab/cli/advice.cc"}
# The table has examples for the help of the command line, and an option of it, or of the one of estimates, needs no advice beside its flag.
ANALYSES = "src/release/analyses.cc"
ESTIMATES = "src/app/cli/estimate_forms.cc"


def library(path):
    return path.startswith(("src/", "lab/")) and not path.startswith(("src/app/", "lab/cli/", "lab/kith_lab.cc")) and "test" not in path.split("/")[-1]


def readers(path, text):
    """Places that read sentences."""
    if not path.startswith(("src/", "lab/")) or "test" in path.split("/")[-1]:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if READS.search(line) and not line.lstrip().startswith("//"):
            yield f"{path}:{number}: reads a sentence: use the error's code, parameter or charged"


def problems(path, text, known, options=()):
    """Of one source file; `known`: the parameters of the table; `options`: those of analyses."""
    yield from readers(path, text)
    if not library(path):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(("//", "#include")):
            continue
        for string in STRING.findall(line):
            if path != ANALYSES and (FLAG.search(string) or VERB.search(string)) and not any((path, string) == each[:2] for each in EXCEPT):
                yield f"{path}:{number}: names a flag or a verb: {string}; say it in terms of the request, and .For(\"parameter\")"
        for match in PARAMETER.finditer(line):
            name = match.group(1) or match.group(2)
            if name not in known and name.split(".")[-1] not in options:
                yield f"{path}:{number}: {ADVICE[path[:3]]} has no advice for the parameter '{name}'"


def planted():
    """The check sees what it is for, and nothing else."""
    known = {"price.epsilon"}
    bad = [("src/release/a.cc", 'return InvalidArgument("x", {}, "add --epsilon 0.1");'), ("src/query/a.cc", '"ask kith analyse POLICY degrees"'),
           ("src/ledger/a.h", '"see kith budget"'), ("src/policy/a.cc", 'InvalidArgument("x").For("price.epsilom")'),
           ("src/policy/a.cc", 'error.parameter = "prices";'),
           ("src/server/a.cc", 'if (error.what.find("nothing was charged") != std::string::npos) PutBack();'),
           ("src/app/cli/a.cc", 'return error.next.starts_with(kNothing);'), ("src/query/a.cc", "return error.what == Shows(key).what;"),
           ("src/pgwire/a.cc", 'if (said.contains("was charged before")) ++count;'), ("src/api/a.cc", 'answer.error().Text().find("x")'),
           ("src/release/a.cc", 'if (text == "nothing was charged") return;')]
    good = [("src/app/cli/a.cc", '"add --epsilon 0.1"'), ("src/release/a_test.cc", '"kith budget"'), ("src/release/a.cc", '// kith budget, --epsilon'),
            ("src/ledger/a.cc", '"kith ledger 4"'), ("src/query/a.cc", '"a -- comment"'), ("lab/probe/http.cc", '"kith probe"'),
            ("src/release/a.cc", 'InvalidArgument("x").For("price.epsilon")'), ("src/server/a_test.cc", 'error.what.find("nothing was charged")'),
            ("src/server/a.cc", "if (error.charged == Charged::kNo) PutBack();"), ("src/engine/a.cc", "return step.what == Do::kColumn && At(b).c;"),
            ("src/policy/a.cc", 'text.find("a = ")')]
    return [case for case in bad if not list(problems(*case, known))] + [case for case in good if list(problems(*case, known))]


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [f"tools/check_messages.py does not judge this rightly: {case}" for case in planted()]
    options = {name for file in (ANALYSES, ESTIMATES) for name in re.findall(r'\b(?:Must|May)\("(\w+)"', (root / file).read_text())}
    table = set()
    for folder in ("src", "lab"):  # the laboratory's program knows both
        table |= set(re.findall(r'\{"([a-z_.]+)", "', (root / ADVICE[folder]).read_text()))
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                found += problems(path.relative_to(root).as_posix(), path.read_text(), table, options)
    print("\n".join(found) if found else "messages: ok")
    sys.exit(1 if found else 0)
