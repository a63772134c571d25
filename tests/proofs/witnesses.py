#!/usr/bin/env python3
"""The checker that is proved in proofs/Checker.v, extracted to OCaml and run: on random graphs it accepts messages from the strengths (rounded up to
rationals), refuses them when one is made smaller, when a link is stronger than it was told, or when a loss is larger, and kith's bound is never
above the checked one. The last is a comparison and no proof of kith's own numbers: its messages may rest on the group bound (proofs/Rests.v).

Usage: witnesses.py KITH [SEED]     (Coq's files must be there: make -C proofs)
"""
import decimal
import fractions
import json
import pathlib
import random
import subprocess
import sys
import tempfile

decimal.getcontext().prec = 50
Decimal, Fraction = decimal.Decimal, fractions.Fraction
PROOFS = pathlib.Path(__file__).resolve().parents[2] / "proofs"
GRID = 2 ** 40
EXTRACT = "Require Extraction.\nFrom Kith Require Import Checker.\nExtraction Language OCaml.\nExtraction \"checker.ml\" check bound_q.\n"
MAIN = """open Checker
let rec nat k = if k = 0 then O else S (nat (k - 1))
let rec int = function O -> 0 | S n -> 1 + int n
let positive text = let p = ref XH in String.iteri (fun k b -> if k > 0 then p := if b = '1' then XI !p else XO !p) text; !p
let rec bits = function XH -> "1" | XO p -> bits p ^ "0" | XI p -> bits p ^ "1"
let word () = Scanf.scanf " %s" (fun w -> w)
let number () = let n = word () in let d = word () in {qnum = Zpos (positive n); qden = positive d}
let table n f = let t = Array.init n (fun _ -> f ()) in fun k -> t.(int k)
let () = try while true do
  let n = Scanf.scanf " %d" (fun n -> n) in
  let nodes = List.init n nat |> List.fold_left (fun l k -> Cons (k, l)) Nil in
  let loss = table n number in
  let links = Array.init n (fun _ -> Array.init n (fun _ -> match word () with "inf" -> None | w -> Some {qnum = Zpos (positive w); qden = positive (word ())})) in
  let messages = Array.init n (fun _ -> Array.init n (fun _ -> number ())) in
  let c i j = links.(int i).(int j) and m i j = messages.(int i).(int j) in
  print_string (match check nodes loss c m with True -> "yes" | False -> "no");
  List.iter (fun i -> match bound_q nodes loss m (nat i) with {qnum = Zpos p; qden = d} -> Printf.printf " %s/%s" (bits p) (bits d) | _ -> print_string " ?") (List.init n (fun i -> i));
  print_newline ()
done with End_of_file | Scanf.Scan_failure _ -> ()
"""


def above(log):
    return Fraction(int((Decimal(log) / 2).exp() * GRID) + 1, GRID)


def ceil(x):
    return Fraction(-(-x.numerator * GRID // x.denominator), GRID)


def phi(c, g):
    return g if c is None else (1 + c * g) / (c + g)


def messages(n, loss, link):
    """Messages from the strengths downwards, every step rounded up: valid after each round."""
    top = max([Fraction(1)] + [c for row in link for c in row if c is not None]) * 1000
    m = [[Fraction(1) if j == k or link[j][k] == 1 else (link[j][k] or top) for j in range(n)] for k in range(n)]
    for _ in range(25):
        new = [row[:] for row in m]
        for j in range(n):
            for k in range(n):
                if j != k and link[j][k] != 1:
                    g = loss[k]
                    for l in range(n):
                        if l not in (j, k):
                            g *= m[l][k]
                    new[k][j] = min(m[k][j], ceil(phi(link[j][k], g)))
        m = new
    return m


def verdict(n, loss, link, m):
    """The inequalities of Witness.v, in exact fractions: what the checker should say. (A planted fault may be a witness still, where messages have not settled.)"""
    for j in range(n):
        for k in range(n):
            if j != k:
                g = loss[k]
                for l in range(n):
                    g *= 1 if l in (j, k) else m[l][k]
                if m[k][j] < 1 or not (link[j][k] is not None and link[j][k] <= m[k][j] or phi(link[j][k], g) <= m[k][j]):
                    return "no"
    return "yes"


def text(n, loss, link, m):
    def number(q):
        return f"{q.numerator:b} {q.denominator:b}"
    return "\n".join([str(n), " ".join(map(number, loss)), " ".join("inf" if c is None else number(c) for row in link for c in row), " ".join(number(q) for row in m for q in row)]) + "\n"


def build(folder):
    (folder / "Extract.v").write_text(EXTRACT)
    subprocess.run(["coqc", "-q", "-Q", str(PROOFS), "Kith", "Extract.v"], cwd=folder, check=True, capture_output=True)
    main, types = MAIN, (folder / "checker.mli").read_text()
    if "Nil" not in types:
        main = main.replace("Cons (k, l)", "k :: l").replace(" Nil in", " [] in").replace("|> List.fold_left (fun l k -> k :: l) []", "")
    if "| True" not in types:
        main = main.replace("True ->", "true ->").replace("False ->", "false ->")
    (folder / "main.ml").write_text(main)
    subprocess.run(["ocamlopt", "-w", "-a", "-o", "checker", "checker.mli", "checker.ml", "main.ml"], cwd=folder, check=True)
    return folder / "checker"


def said(kith, model, plain):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(model, file)
        file.flush()
        out = json.loads(subprocess.run([kith, "transfer", file.name, "--plain", repr(plain), "--json"], capture_output=True, text=True, check=True).stdout)
    return out["per_record"] or [out["dependent"]] * model["nodes"]


def main():
    kith, rng = sys.argv[1], random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    cases, asked = [], []
    for k in range(120):
        n, plain, forest = rng.randint(2, 8), round(rng.uniform(0.01, 1), 3), k % 3 == 0
        pairs = [(rng.randrange(b), b) for b in range(1, n)] if forest else [(a, b) for a in range(n) for b in range(a + 1, n) if rng.random() < 0.4]
        edges = [[a, b, "inf" if rng.random() < 0.05 else round(rng.uniform(0.05, 2), 3)] for a, b in pairs]
        loss, link = [above(plain)] * n, [[Fraction(1)] * n for _ in range(n)]
        for a, b, t in edges:
            link[a][b] = link[b][a] = None if t == "inf" else above(t)
        m = messages(n, loss, link)
        kinds = [("yes", text(n, loss, link, m))]
        finite = [(a, b) for a, b, t in edges if t != "inf"]
        if finite:
            a, b = rng.choice(finite)
            small = [row[:] for row in m]
            small[a][b] = 1 + (m[a][b] - 1) * Fraction(999, 1000)
            strong = [row[:] for row in link]
            strong[a][b] = strong[b][a] = link[a][b] * Fraction(1001, 1000)
            lossy = [l * (Fraction(1001, 1000) if i == a else 1) for i, l in enumerate(loss)]
            kinds += [(verdict(*planted), text(*planted)) for planted in ((n, loss, link, small), (n, loss, strong, m), (n, lossy, link, m))]
        cases.append(({"kind": "field", "nodes": n, "edges": edges}, plain, forest, len(kinds)))
        asked += kinds
    with tempfile.TemporaryDirectory() as scratch:
        checker = build(pathlib.Path(scratch))
        answers = subprocess.run([str(checker)], input="".join(t for _, t in asked), capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(answers) == len(asked), (len(answers), len(asked))
    wrong = [f"case {k}: the checker says {answer.split()[0]}, not {want}" for k, ((want, _), answer) in enumerate(zip(asked, answers)) if answer.split()[0] != want]
    at, compared, equal = 0, 0, 0
    for model, plain, forest, count in cases:
        bounds = [Fraction(int(q.split("/")[0], 2), int(q.split("/")[1], 2)) for q in answers[at].split()[1:]]
        at += count
        for i, (value, bound) in enumerate(zip(said(kith, model, plain), bounds)):
            checked = 2 * (Decimal(bound.numerator) / Decimal(bound.denominator)).ln()
            compared += 1
            same = abs(Decimal(value) - checked) <= Decimal("1e-9")
            equal += same
            if Decimal(value) > checked + Decimal("1e-12") or (forest and not same):
                wrong.append(f"{json.dumps(model)} at {plain}, record {i}: kith says {value!r}, the checker {checked:.15f}")
    refused = sum(want == "no" for want, _ in asked)
    if refused < 2 * len(cases):
        wrong.append(f"only {refused} planted faults are faults")
    print("\n".join(wrong[:20]))
    print(f"witnesses: {len(cases)} graphs: all accepted, {refused} planted faults refused, {compared} bounds compared, {equal} equal" if not wrong else f"witnesses: {len(wrong)} disagree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
