#!/usr/bin/env python3
"""Checks what the machine-checked proofs rest on: nothing is admitted, and no axiom is used beyond those of Coq's classical reals.

Usage: check_proofs.py [FOLDER]      after `make -C proofs`; looks at every theorem that a claim names (machine-checked: proofs/File.v theorem)
                                     or whose assumptions a file prints (Print Assumptions theorem)
       check_proofs.py --self-test   the check's own power: files with planted faults must be refused
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ALLOWED = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "FunctionalExtensionality.functional_extensionality_dep",
           "functional_extensionality_dep"}
# Words by which a proof can be left out or an assumption can be made. Hypotheses are allowed inside sections, where they become part of each statement.
FORBIDDEN = r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|bypass_check|Unset\s+Guard|Unset\s+Positivity|Unset\s+Universe|type-in-type)\b"
LOCAL = r"^\s*(?:Local\s+)?(Hypothes[ie]s|Variables?|Context)\b"


def without_comments(text):
    out, depth, at = [], 0, 0
    while at < len(text):
        two = text[at:at + 2]
        if two == "(*":
            depth, at = depth + 1, at + 2
        elif two == "*)" and depth:
            depth, at = depth - 1, at + 2
        else:
            out.append(text[at] if not depth or text[at] == "\n" else " ")
            at += 1
    return "".join(out)


def text_problems(path):
    depth = 0
    for number, line in enumerate(without_comments(path.read_text()).splitlines(), 1):
        depth += len(re.findall(r"^\s*Section\s+\w+\s*\.", line)) - len(re.findall(r"^\s*End\s+\w+\s*\.", line))
        for word in re.findall(FORBIDDEN, line):
            yield f"{path.name}:{number}: '{word}' leaves something unproved"
        if depth == 0 and re.match(LOCAL, line):
            yield f"{path.name}:{number}: outside of a section this is an axiom: {line.strip()}"


def claimed(root):
    """(file, theorem) of every line 'machine-checked:' in claims/."""
    found = set()
    for page in sorted((root / "claims").glob("*.md")):
        for line in re.findall(r"^[-*]?\s*\**[Mm]achine-checked:?\**:?\s*(.+)$", page.read_text(), re.M):
            for name, theorems in re.findall(r"proofs/(\w+)\.v((?:\s+`?\w+`?,?(?!\.v))*)", line):
                found.update((name, theorem) for theorem in re.findall(r"\w+", theorems) if theorem not in ("and",))
    return sorted(found)


def printed(root):
    """(file, theorem) of every Print Assumptions: the main theorems, whether a claim names them or not."""
    return [(path.stem, theorem) for path in sorted((root / "proofs").glob("*.v")) for theorem in re.findall(r"^Print Assumptions (\w+)\.", without_comments(path.read_text()), re.M)]


def assumptions(folder, names):
    """Runs Print Assumptions on each (file, theorem); yields (file, theorem, axioms or None if it is not there)."""
    with tempfile.TemporaryDirectory() as scratch:
        for name in sorted({name for name, _ in names}):
            theorems = [theorem for file, theorem in names if file == name]
            file = pathlib.Path(scratch) / "Assumptions.v"
            file.write_text(f"From Kith Require {name}.\n" + "".join(f'Print Assumptions Kith.{name}.{theorem}.\nLocate Kith.{name}.{theorem}.\n' for theorem in theorems))
            run = subprocess.run(["coqc", "-q", "-Q", str(folder), "Kith", str(file)], capture_output=True, text=True)
            if run.returncode:
                yield name, ", ".join(theorems), None, run.stderr.strip().splitlines()[-1]
                continue
            for theorem, part in zip(theorems, re.split(r"^Constant.*$", run.stdout, flags=re.M)):
                axioms = set() if "Closed under the global context" in part else set(re.findall(r"^([\w.']+)\s*(?=:|$)", part, re.M)) - {"Axioms"}
                yield name, theorem, axioms, ""


def problems(folder, names, used=None):
    for path in sorted(folder.glob("*.v")):
        yield from text_problems(path)
        if not path.with_suffix(".vo").exists():
            yield f"{path.name}: was not checked"
    for name, theorem, axioms, error in assumptions(folder, names):
        if used is not None:
            used.update(axioms or ())
        if axioms is None:
            yield f"{name}.v: {theorem}: {error}"
        elif axioms - ALLOWED:
            yield f"{name}.v: {theorem} rests on {', '.join(sorted(axioms - ALLOWED))}"


FAULTS = {
    "Admitted": "Lemma t : 1 = 2.\nProof.\nAdmitted.\n",
    "AxiomFault": "Axiom t : 1 = 2.\n",
    "VariableFault": "Variable n : nat.\nVariable t : n = 0.\n",
    "Comments": "(* Section S. *)\nHypothesis t : 1 = 2.\n",
    "AnotherAxiom": "Require Import Classical.\nLemma t : forall p : Prop, p \\/ ~ p.\nProof. exact classic. Qed.\n",
    "Missing": "Lemma other : 1 = 1.\nProof. reflexivity. Qed.\n",
}


def self_test():
    missed = []
    for name, text in FAULTS.items():
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / f"{name}.v").write_text(text)
            subprocess.run(["coqc", "-q", "-Q", ".", "Kith", f"{name}.v"], cwd=folder, capture_output=True)
            if not list(problems(folder, [(name, "t")])):
                missed.append(name)
    with tempfile.TemporaryDirectory() as scratch:  # and a proof without faults passes
        folder = pathlib.Path(scratch)
        (folder / "Sound.v").write_text("Require Import Reals.\nSection S.\nVariable x : R.\nHypothesis p : (0 < x)%R.\nLemma t : (0 <= x)%R.\nProof. left. exact p. Qed.\nEnd S.\n")
        subprocess.run(["coqc", "-q", "-Q", ".", "Kith", "Sound.v"], cwd=folder, capture_output=True)
        missed += list(problems(folder, [("Sound", "t")]))
    return missed


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        missed = self_test()
        print("\n".join(f"proofs: the check does not see: {name}" for name in missed) or f"proofs: the check sees {len(FAULTS)} of {len(FAULTS)} planted faults")
        sys.exit(1 if missed else 0)
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    named = claimed(root)
    names = sorted(set(named) | set(printed(root)))
    used = set()
    found = list(problems(root / "proofs", names, used))
    lines = sum(len(path.read_text().splitlines()) for path in (root / "proofs").glob("*.v"))
    print("\n".join(found) if found else f"proofs: ok: {lines} lines, {len(named)} theorems named by claims and {len(names) - len(named)} others looked at; axioms: {', '.join(sorted(used)) or 'none'}")
    sys.exit(1 if found or not named else 0)
