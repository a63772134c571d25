#!/usr/bin/env python3
"""Blocks exact numbers outside the kernel: nothing but src/kernel, src/engine, src/mechanism, src/random and the ledger may name what reads data or draws bits.

What is not behind the vault yet is listed in EXCEPT, with how often; the list may only become shorter, and its length is printed. A file that no longer needs what it is allowed
is blocked as well, so that the list says what is true. Folds (functions of one row) may keep nothing: no static, thread_local or mutable variable in a file that gives one to the vault."""
import pathlib
import re
import sys

INSIDE = ("src/kernel/", "src/engine/", "src/mechanism/", "src/random/", "src/ledger/")
# Methods of sessions that return data, tables of exact numbers, sources of bits, and what the kernel keeps for itself.
NAMED = re.compile(r"\b(Session|IntegerTable|IntegerColumns|ScanKeys|BitSource|SystemBits|Unseal(?:ed)?|RunUnchecked|ReadExact|ExactGroups|AddNoise|FoldRows|Unbooked)\b"
                   r"|[.>](Scan|ScanText|RunText)\(|kernel/(opening|unbooked)\.h|(?:vault|vault\(\))[.]Count\(")
OTHER = re.compile(r"\b(?:HttpClient::)?Session\b")  # of the network, not of an engine
KEEPS = re.compile(r"^\s*(?:static(?! constexpr| const\b| std::string_view\b| Result| std::| void| bool| double| int)|thread_local|mutable)\b")
FOLD = re.compile(r"\bRowFold\b")

# file: (how many lines name any of it, why). Only fewer.
EXCEPT = {
    "src/analysis/cumulative/cumulative.cc": (2, "a matrix of counts, whose noise is smaller than that of a box"),
    "src/analysis/cumulative/cumulative.h": (1, "a matrix of counts, whose noise is smaller than that of a box"),
    "src/analysis/degrees/degrees.cc": (11, "a pair has two people: counted out of scanned pairs, then sealed"),
    "src/analysis/degrees/degrees.h": (1, "a pair has two people: counted out of scanned pairs, then sealed"),
    "src/analysis/identity/identity.h": (1, "a group for each unit: no rule for its plan yet"),
    "src/analysis/learn/learn.cc": (5, "objective perturbation"),
    "src/analysis/learn/learn.h": (2, "objective perturbation"),
    "src/analysis/learn/report.cc": (1, "objective perturbation"),
    "src/analysis/learn/report.h": (1, "objective perturbation"),
    "src/analysis/one_sided/noisy_dawa.cc": (3, "DAWAz: a partition by noisy costs"),
    "src/analysis/one_sided/noisy_dawa.h": (3, "DAWAz: a partition by noisy costs"),
    "src/analysis/points/grid_study.cc": (3, "noise for moves by a distance; sorted sums are no fold"),
    "src/analysis/points/grid_study.h": (1, "noise for moves by a distance; sorted sums are no fold"),
    "src/analysis/points/line_study.cc": (2, "noise for moves by a distance; sorted sums are no fold"),
    "src/analysis/points/positions.cc": (3, "noise for moves by a distance; sorted sums are no fold"),
    "src/analysis/points/positions.h": (1, "noise for moves by a distance; sorted sums are no fold"),
    "src/analysis/synthetic/columns.cc": (1, "only bits: rows are drawn from a noisy model"),
    "src/analysis/synthetic/columns.h": (1, "only bits: rows are drawn from a noisy model"),
    "src/analysis/synthetic/compositions.cc": (1, "only bits: rows are drawn from a noisy model"),
    "src/analysis/synthetic/compositions.h": (1, "only bits: rows are drawn from a noisy model"),
    "src/analysis/synthetic/sample.cc": (5, "only bits: rows are drawn from a noisy model"),
    "src/analysis/synthetic/sample.h": (2, "only bits: rows are drawn from a noisy model"),
    "src/analysis/synthetic/synthetic_run.cc": (1, "choices by exact distances"),
    "src/analysis/synthetic/synthetic_run.h": (3, "choices by exact distances"),
    "src/analysis/top/top.cc": (1, "permute-and-flip among counts: no rule for its plan yet"),
    "src/app/cli/transfer_sample.cc": (1, "only bits: a simulation of a public model"),
    "src/app/cli/analyse_points.cc": (1, "only bits: points are drawn from a noisy map"),
    "src/graph/edges_table.cc": (3, "a public table of edges"),
    "src/graph/edges_table.h": (2, "a public table of edges"),
    "src/release/curator_state.h": (1, "opens the data, which only the vault reads"),
    "src/release/one_sided/histogram.cc": (4, "one-sided counts: no rule for their plan yet; the totals of DAWAz"),
    "src/transfer/field/network_sampling.cc": (1, "only bits: a simulation of a public model"),
    "src/transfer/field/network_sampling.h": (1, "only bits: a simulation of a public model"),
}


def lines(path, text):
    """Numbers of the lines of one source file that name what only the kernel may."""
    if path.startswith(INSIDE) or not path.startswith("src/") or re.search(r"_test\.cc$|_test_tools\.h$|/test_[a-z_]+\.h$", path):
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line) if not line.startswith("#include") else line
        code = code.split("//")[0]
        if path.startswith(("src/server/", "src/pgwire/", "src/app/", "src/people/")):
            code = OTHER.sub("", code)
        if NAMED.search(code):
            found.append(number)
    return found


def problems(root):
    seen = {}
    for file in sorted((root / "src").rglob("*")):
        if file.suffix not in (".h", ".cc"):
            continue
        path, text = file.relative_to(root).as_posix(), file.read_text()
        named = lines(path, text)
        if named:
            seen[path] = len(named)
        allowed = EXCEPT.get(path, (0, ""))[0]
        if len(named) > allowed:
            yield f"{path}: {len(named)} lines name what only the kernel may (line {', '.join(map(str, named[:8]))}); {allowed} are allowed: ask the vault (kernel/vault.h)"
        if FOLD.search(text) and not path.startswith("src/kernel/"):
            for number, line in enumerate(text.splitlines(), 1):
                if KEEPS.search(line.split("//")[0]):
                    yield f"{path}:{number}: a file with a fold keeps something from row to row"
    for path, (allowed, _) in EXCEPT.items():
        if seen.get(path, 0) < allowed:
            yield f"{path}: {seen.get(path, 0)} lines name it, {allowed} are allowed: lower the number in tools/check_vault.py"


def planted():
    """The check sees what it is for, and nothing else."""
    bad = [("src/analysis/a.cc", "const auto table = engine.RunText(text, cancel);"), ("src/release/a.h", "const Session& engine_;"), ("src/analysis/a.cc", "  IntegerTable table;"),
           ("src/release/a.cc", '#include "kernel/opening.h"'), ("src/release/a.cc", "BitSource& bits = SystemBits::ForThisThread();"), ("src/workload/a.cc", "vault.Unseal(paid)"),
           ("src/release/a.cc", "Paid paid = Unbooked::Of(units);"), ("src/release/a.cc", "desk.vault().Count(plan, count)")]
    good = [("src/kernel/a.cc", "IntegerTable table;"), ("src/release/a.cc", "// of a Session"), ("src/release/a.cc", 'return "a Session";'), ("src/analysis/a_test.cc", "IntegerTable table;"),
            ("src/pgwire/session.cc", "Session session;"), ("src/analysis/a.cc", "vault.Run(plan)"), ("lab/a.cc", "Unbooked::Of(units)")]
    return [case for case in bad if not lines(*case)] + [case for case in good if lines(*case)]


if __name__ == "__main__":
    root = pathlib.Path(next((each for each in sys.argv[1:] if not each.startswith("--")), "."))
    found = [f"tools/check_vault.py does not judge this rightly: {case}" for case in planted()] + list(problems(root))
    print("\n".join(found) if found else f"vault: ok; {len(EXCEPT)} files are not behind it, {sum(n for n, _ in EXCEPT.values())} lines")
    sys.exit(1 if found else 0)
