#!/usr/bin/env python3
"""Blocks losses that are printed to the nearest digit. LossText (rounded up) and LeftText (rounded down) of src/loss/loss_text.h print them.

Two rules. In the modules where nearly every number that a person reads is a loss, no number is printed with a format that fixes the number of digits, except
where EXCEPT says what else it is. On the command line, Short (to the nearest digit) is not for anything that is called a loss."""
import pathlib
import re
import sys

MODULES = ["loss", "dependence", "transfer", "published", "policy", "ledger", "release", "audit", "document"]
PRINTER = "src/loss/loss_text.cc"
# File and a piece of the line: what else the number is.
EXCEPT = [
    ("src/document/estimate.cc", '"{:.10g} %"', "a confidence"),
    ("src/document/import_report.cc", "100 * Share(part, whole)", "a share of rows"),
    ("src/document/words.cc", '"{:.0f}", whole', "rows"),
    ("src/document/words.cc", "value / step", "a number that is no loss: Short"),
    ("src/document/words.cc", 'fmt::format("{:.4g}", value)', "a number that is no loss: Short"),
    ("src/document/words.cc", '"{:.{}f}", value', "a noisy number"),
    ("src/ledger/sqlite.cc", "locked for {:g} seconds", "seconds"),
    ("src/policy/distance.cc", "from {:.6g} to {:.6g}", "places"),
    ("src/policy/distance.cc", "kGreatCircle) return fmt::format", "a length"),
    ("src/policy/distance.cc", "{:.4g} km", "a length"),
    ("src/release/after_release.cc", 'real ? fmt::format("{:.10g}"', "a noisy number of a stage"),
    ("src/release/free_answer.cc", "±{:.6g} instead of ±{:.6g}", "error bars"),
    ("src/release/delta_price.cc", "noise[k].error_95", "an error bar"),
    ("src/release/delta_price.cc", "standard error {:.4g}", "a standard error"),
    ("src/release/guarantee.cc", "{:.10g} % confidence", "a confidence"),
    ("src/release/ranks.cc", ":.0f} rows", "rows"),
    ("src/release/stream/stream.cc", "±{:.4g}", "an error bar"),
    ("src/release/stream/stream.cc", 'name(fmt::format("{:.4g}"', "a name that older ledgers know"),
]
DIGITS = re.compile(r"\{\d*:[<>^+\- #0-9]*(\.(\d+|\{\d*\}))?[gGeEfF]\}")
SHORT = re.compile(r"\bShort\(((?:[^()]|\([^()]*\))*)\)")
LOSSES = re.compile(r"loss|epsilon|plain|dependent|spent|claimed|allowed|budget|delta|leakage|nats|promised|bound_|worst_bits|limit")
# What is made of losses, but is not one.
NO_LOSS = ["a.noise.epsilon / a.noise.plain"]


def problems(path, text):
    """Of one source file: its path below the root, with slashes."""
    if path.endswith("_test.cc") or path == PRINTER:
        return
    parts = path.split("/")
    for number, line in enumerate(text.splitlines(), 1):
        if parts[1] in MODULES and DIGITS.search(line.split("//")[0]) and not any(
                path == file and piece in line for file, piece, _ in EXCEPT):
            yield f"{path}:{number}: a number with a fixed number of digits; print losses with LossText or LeftText, or name it in tools/check_losses.py"
        if path.startswith(("src/app/cli/", "src/document/")):
            for match in SHORT.finditer(line):
                if LOSSES.search(match.group(1)) and match.group(1) not in NO_LOSS:
                    yield f"{path}:{number}: Short({match.group(1)}) rounds a loss to the nearest digit; use LossText or LeftText"


def planted():
    """The check sees what it is for, and nothing else."""
    bad = [("src/release/a.cc", 'fmt::format("a loss of {:.4g}", x)'), ("src/ledger/a.cc", 'fmt::format("{:g} was spent", x)'),
           ("src/policy/a.h", 'fmt::format("{0:.3f}", x)'), ("src/published/a.cc", 'fmt::format("{:.{}g}", x, n)'),
           ("src/app/cli/a.cc", "Short(c.plain_epsilon)"), ("src/app/cli/a.cc", "Short(line.units.epsilon())")]
    good = [("src/release/a.cc", 'fmt::format("{} {:016x} {:.60}", LossText(x), y, z)'), ("src/release/a_test.cc", '"{:.4g}"'),
            (PRINTER, '"{:.{}g}"'), ("src/app/cli/a.cc", "Short(line.scale)"), ("src/report/a.cc", '"{:.1f}"')]
    return [case for case in bad if not list(problems(*case))] + [case for case in good if list(problems(*case))]


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [f"tools/check_losses.py does not judge this rightly: {case}" for case in planted()]
    for file in sorted((root / "src").rglob("*")):
        if file.suffix in (".h", ".cc"):
            found += problems(file.relative_to(root).as_posix(), file.read_text())
    print("\n".join(found) if found else "losses: ok")
    sys.exit(1 if found else 0)
