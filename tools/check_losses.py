#!/usr/bin/env python3
"""Blocks losses that are printed to the nearest digit. They are rounded up, and what is left or allowed is rounded down, by LossText and LeftText
(src/loss/loss_text.h), by loss_text and left_text (python/kith/_losses.py), and by loss and left (console/src/format.js).

Two rules. In the modules where nearly every number that a person reads is a loss, in the Python package and in the console, no number is printed with a format
that fixes the number of digits, except where EXCEPT says what else it is. What prints other numbers to the nearest digit (Short, number_text, number) is not for
anything that is called a loss."""
import pathlib
import re
import sys

MODULES = ["loss", "dependence", "transfer", "published", "policy", "ledger", "release", "audit", "document"]
PRINTERS = ["src/loss/loss_text.cc", "python/kith/_losses.py", "console/src/format.js"]
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
    ("src/release/postprocess_release.cc", 'real ? fmt::format("{:.10g}"', "a noisy number of a stage"),
    ("src/release/free_answer.cc", "±{:.6g} instead of ±{:.6g}", "error bars"),
    ("src/release/delta_price.cc", "noise[k].error_95", "an error bar"),
    ("src/release/delta_price.cc", "standard error {:.4g}", "a standard error"),
    ("src/release/guarantee.cc", "{:.10g} % confidence", "a confidence"),
    ("src/kernel/ranks.cc", ":.0f} rows", "rows"),
    ("src/release/stream/stream.cc", "±{:.4g}", "an error bar"),
    ("src/release/stream/stream.cc", 'name(fmt::format("{:.4g}"', "a name that older ledgers know"),
    ("python/kith/chart.py", "{value:.4g}", "a number that is no loss: number_text"),
    ("python/kith/chart.py", "y=", "places of a drawing"),
    ("python/kith/chart.py", "M{x(", "places of a drawing"),
    ("python/kith/_tables.py", "100 * missing", "a share of rows"),
    ("console/src/", ".toPrecision(1))", "a price to begin with"),
    ("console/src/", "budget.value?.epsilon_total ?? 1) / 4).toPrecision(2)", "a price to begin with"),
    ("console/src/ask.jsx", "roundish = (x) => Number(x.toPrecision(1))", "steps of a slider"),
    ("console/src/dependence.jsx", "50 ** Number", "an odds ratio that is tried"),
    ("console/src/people.jsx", "grant.allowance.toPrecision(9)", "what the curator typed, which the server keeps in whole units"),
]
DIGITS = re.compile(r"\{\d*:[<>^+\- #0-9]*(\.(\d+|\{\d*\}))?[gGeEfF]\}")
FIXED = {  # of the languages in which documents are shown
    ".py": re.compile(r":[<>^+\- #0-9,]*\.(\d+|\{\w*\})[gGeEfF%]\}|%[0-9]*\.\d+[gGeEfF]|\bround\("),
    ".js": re.compile(r"\.to(Fixed|Precision|Exponential|LocaleString)\(|NumberFormat|Math\.round\((?!width)"),
}
FIXED[".jsx"] = FIXED[".js"]
ARGUMENT = r"\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
NEAREST = {".cc": re.compile(r"\bShort" + ARGUMENT), ".h": re.compile(r"\bShort" + ARGUMENT), ".py": re.compile(r"\bnumber_text" + ARGUMENT),
           ".js": re.compile(r"\bnumber" + ARGUMENT), ".jsx": re.compile(r"\bnumber" + ARGUMENT)}
# A chart of losses says how its bars are written.
BARS = re.compile(r"<BarChart\b(?![^>]*\btext=\{loss\})(?:[^>]*\blabel=\"[^\"]*loss|(?![^>]*\btext=\{))")
LOSSES = re.compile(r"loss|epsilon|plain|dependent|spent|claimed|allowed|budget|delta|leakage|nats|promised|bound_|worst_bits|limit")
# What is made of losses, but is not one.
NO_LOSS = ["a.noise.epsilon / a.noise.plain", "w.times_epsilon"]
SHOWN = ("src/app/cli/", "src/document/", "lab/cli/", "lab/document/", "python/kith/", "console/src/")


def problems(path, text):
    """Of one source file: its path below the root, with slashes."""
    if path.endswith("_test.cc") or path in PRINTERS:
        return
    kind = path[path.rindex("."):]
    fixed = FIXED.get(kind) or (DIGITS if path.split("/")[1] in MODULES else None)
    for number, line in enumerate(text.splitlines(), 1):
        code = line if kind == ".py" else line.split("//")[0]
        if fixed and fixed.search(code) and not any(path.startswith(file) and piece in line for file, piece, _ in EXCEPT):
            yield f"{path}:{number}: a number with a fixed number of digits; print losses rounded up (LossText, loss_text, loss), or name it in tools/check_losses.py"
        if path.startswith(SHOWN):
            for match in NEAREST[kind].finditer(code):
                if LOSSES.search(match.group(1)) and match.group(1) not in NO_LOSS:
                    yield f"{path}:{number}: {match.group(0)} rounds a loss to the nearest digit; round it up (LossText, loss_text, loss), or down what is left (LeftText, left_text, left)"
        if kind == ".jsx" and BARS.search(code):
            yield f"{path}:{number}: a chart of losses needs text={{loss}}, and any other says how its numbers are written: text={{number}}"


def planted():
    """The check sees what it is for, and nothing else."""
    bad = [("src/release/a.cc", 'fmt::format("a loss of {:.4g}", x)'), ("src/ledger/a.cc", 'fmt::format("{:g} was spent", x)'),
           ("src/policy/a.h", 'fmt::format("{0:.3f}", x)'), ("lab/published/a.cc", 'fmt::format("{:.{}g}", x, n)'),
           ("src/app/cli/a.cc", "Short(c.plain_epsilon)"), ("src/app/cli/a.cc", "Short(line.units.epsilon())"),
           ("python/kith/a.py", 'return f"{number(value):.4g}"'), ("python/kith/a.py", "shown = round(loss, 4)"),
           ("python/kith/a.py", 'return "%.4f" % loss'), ("python/kith/a.py", "number_text(self['dependent_after'])"),
           ("python/kith/a.py", '"{:.3f}".format(loss)'), ("console/src/a.jsx", "<td>{number(c.plain_spent)}</td>"),
           ("console/src/a.jsx", "title: (s) => `dependent loss ${number(s.dependent)}`"), ("console/src/a.js", "value.toPrecision(4)"),
           ("console/src/a.jsx", "number(Math.floor(real(b.epsilon_left) * 1e4) / 1e4)"), ("console/src/a.jsx", "Math.round(loss * 1e4) / 1e4"),
           ("console/src/a.jsx", '<BarChart bars={bars} label="loss" title="Loss by reading" />'),
           ("console/src/a.jsx", '<BarChart bars={bars} text={number} label="loss by reading" />'), ("console/src/a.jsx", '<BarChart bars={bars} label="rows" />')]
    good = [("src/release/a.cc", 'fmt::format("{} {:016x} {:.60}", LossText(x), y, z)'), ("src/release/a_test.cc", '"{:.4g}"'),
            ("src/app/cli/a.cc", "Short(line.scale)"), ("src/report/a.cc", '"{:.1f}"'), *((printer, '"{:.{}g}" v.toExponential(3)') for printer in PRINTERS),
            ("python/kith/a.py", 'f"{loss_text(x)} {name:<{width}} {number_text(scale)}"'), ("console/src/a.jsx", "<td>{loss(c.plain_spent)} {number(q.rows)}</td>"),
            ("console/src/a.jsx", '<BarChart bars={bars} text={loss} label="loss" title="t" />'), ("console/src/a.jsx", '<BarChart bars={bars} text={number} label="bar" />')]
    return [case for case in bad if not list(problems(*case))] + [case for case in good if list(problems(*case))]


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [f"tools/check_losses.py does not judge this rightly: {case}" for case in planted()]
    for folder, kinds in (("src", (".h", ".cc")), ("lab", (".h", ".cc")), ("python/kith", (".py",)), ("console/src", (".js", ".jsx"))):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in kinds:
                found += problems(file.relative_to(root).as_posix(), file.read_text())
    print("\n".join(found) if found else "losses: ok")
    sys.exit(1 if found else 0)
