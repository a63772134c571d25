#!/usr/bin/env python3
"""Blocks laws of noise that are chosen anywhere but in Noise::For of src/mechanism/noise.h.

Two rules. Discrete Laplace noise is named outside of src/mechanism only by those of EXCEPT, which are about that very law; an exception that nobody needs
any more is blocked as well. And in src/release the law of a statistic is made in one file alone, once for an answer: pricing, noise and error bars share it."""
import pathlib
import re
import sys

FOLDERS = ["src", "lab", "tests", "bench", "examples", "include"]
NAMED = re.compile(r"\bDiscreteLaplace\b|mechanism/discrete_laplace\.h")
MADE = re.compile(r"\b(Noise::For|PermuteAndFlip::Make)\(")
MAKER = "src/kernel/statistic_mechanism.cc"
EXCEPT = {
    "src/analysis/one_sided/noisy_dawa.h": "OSDP-9 proves the choice of a partition for Laplace's law",
    "src/analysis/one_sided/noisy_dawa.cc": "the same",
    "src/analysis/points/grid_study.cc": "POINTS-8 adds up losses of numbers with two scales, as Laplace's law allows",
    "tests/blind/blind_release.cc": "takes the place of the law's own release",
    "tests/compile_fail/swapped_sensitivity.cc": "arguments of the law itself",
    "tests/e2e/planted_faults.h": "mechanisms that use the law wrongly",
    "bench/sampler_bench.cc": "the speed of the law itself",
}


def problems(path, text):
    """Of one source file: its path below the root, with slashes."""
    if path.startswith("src/mechanism/"):
        return
    named = [number for number, line in enumerate(text.splitlines(), 1) if NAMED.search(line.split("//")[0])]
    if path in EXCEPT and not named:
        yield f"{path}: no longer names discrete Laplace noise; take it out of tools/check_noise.py"
    if path not in EXCEPT:
        for number in named:
            yield f"{path}:{number}: names a law of noise; ask Noise::For (mechanism/noise.h), or say in tools/check_noise.py why not"
    if path.startswith(("src/release/", "src/kernel/opening.", "src/kernel/rank")) and path != MAKER and not path.endswith("_test.cc"):
        for number, line in enumerate(text.splitlines(), 1):
            if MADE.search(line.split("//")[0]):
                yield f"{path}:{number}: makes a law a second time; take that of the priced answer (kernel/statistic_mechanism.h)"


def planted():
    """The check sees what it is for, and nothing else."""
    bad = [("src/release/a.cc", "const auto law = DiscreteLaplace::Make(l1, share);"), ("src/analysis/a.h", "DiscreteLaplace noise_;"),
           ("src/app/cli/a.cc", '#include "mechanism/discrete_laplace.h"'), ("bench/a.cc", "kith::DiscreteLaplace law;"),
           ("src/kernel/opening.cc", "const auto law = Noise::For(change, share);"), ("src/kernel/ranks.cc", "PermuteAndFlip::Make(l1, share)"),
           ("bench/sampler_bench.cc", "Noise noise = OfScale(3);")]
    good = [("src/mechanism/a.cc", "DiscreteLaplace::Make(l1, share)"), ("src/analysis/a.cc", "Noise::For(change, share)"),
            (MAKER, "Noise::For(change, share)"), ("src/release/a_test.cc", "Noise::For(change, share)"),
            ("src/release/a.cc", "kDiscreteLaplaceName.id  // of DiscreteLaplace"), ("tests/support/a.cc", "DiscreteLaplaceLaw law(1);"),
            ("src/analysis/points/grid_study.cc", "DiscreteLaplace law;")]
    return [case for case in bad if not list(problems(*case))] + [case for case in good if list(problems(*case))]


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [f"tools/check_noise.py does not judge this rightly: {case}" for case in planted()]
    found += [f"{path}: is not there; take it out of tools/check_noise.py" for path in EXCEPT if not (root / path).is_file()]
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".h", ".cc"):
                found += problems(file.relative_to(root).as_posix(), file.read_text())
    print("\n".join(found) if found else "noise: ok")
    sys.exit(1 if found else 0)
