#!/usr/bin/env python3
"""A second opinion on the kernel's checker of statements: the checker that is proved in proofs/Moves.v, extracted to OCaml, reads the golden, random and
hostile statements of the tests, and what it finds is compared with what the kernel's checker found: L1 and the square of L2, for a record that is replaced and
for one that comes or goes. What its syntax does not have is counted by reason. Where the kernel finds less than is proved, it uses a rule that is not in
Moves.v: these are counted and limited too. Planted faults must be refused: bounds that are halved, and statements whose outermost clamp is left out.

Usage: statements.py WRITE_STATEMENTS [CASES]     (the program of tests/kernel_check; Coq's files must be there: make -C proofs)
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

PROOFS = pathlib.Path(__file__).resolve().parents[2] / "proofs"
EXTRACT = 'Require Extraction.\nFrom Kith Require Import Language Rules Moves Distinct.\nExtraction Language OCaml.\nExtraction "moves.ml" bound arrival analysed check different.\n'
MAIN = """open Moves
exception Odd of string
let rec nat k = if k = 0 then O else S (nat (k - 1))
let words = ref []
let word () = match !words with [] -> raise (Odd "the end") | w :: rest -> words := rest; w
let number () = int_of_string (word ())
let digits text = let p = ref XH in String.iteri (fun k b -> if k > 1 then p := if b = '1' then XI !p else XO !p) text; !p
let whole text = if String.sub text 1 1 = "0" then Z0 else if text.[0] = '-' then Zneg (digits text) else Zpos (digits text)
let z () = whole (word ())
let optional () = match word () with "-" -> None | w -> Some (whole w)
let truth () = if word () = "1" then True else False
let rec several n f = if n = 0 then Nil else let first = f () in Cons (first, several (n - 1) f)
let rec term () = match word () with
  | "c" -> Col (nat (number ()))
  | "l" -> Lit (Some (z ()))
  | "n" -> Lit None
  | "cut" -> let l = z () in let h = z () in Cut (l, h, term ())
  | "in" -> let l = z () in let h = z () in Within (l, h, term ())
  | "+" -> let a = term () in Plus (a, term ())
  | "-" -> let a = term () in Minus (a, term ())
  | "*" -> let a = term () in Times (a, term ())
  | "?" -> let c = term () in let a = term () in Choose (c, a, term ())
  | "??" -> let a = term () in First (a, term ())
  | "=" -> let a = term () in Equal (a, term ())
  | "<" -> let a = term () in Less (a, term ())
  | "&" -> let a = term () in And (a, term ())
  | "!" -> Not (term ())
  | "null" -> Null (term ())
  | "true" -> True0 (term ())
  | "f" -> let a = term () in Call (O, a, term ())
  | w -> raise (Odd w)
let terms () = let n = number () in several n term
let fold () = match word () with
  | "the" -> The (O, term ())
  | "num" -> Number (O, terms ())
  | "fold" -> let t = truth () in Fold (t, O, terms ())
  | w -> raise (Odd w)
let rec source () = match word () with
  | "T" -> Table (nat (number ()))
  | "L" -> let n = (match z () with Zpos p -> p | _ -> raise (Odd "a limit")) in Limit (O, n, source ())
  | "K" -> let n = number () in let ks = several n (fun () -> nat (number ())) in Constant (O, ks, source ())
  | "W" -> let c = term () in Where (c, source ())
  | "S" -> let ts = terms () in Select (ts, source ())
  | "U" -> let n = number () in let fs = several n fold in PerUnit (fs, source ())
  | "B" -> let left = truth () in let s = source () in Beside (left, s, source ())
  | w -> raise (Odd w)
let table () =
  let most = optional () in let there = truth () in let present = truth () in let n = number () in
  let columns = Array.init n (fun _ -> let lo = optional () in let hi = optional () in let nul = truth () in let sec = truth () in let byrow = truth () in {lo; hi; nul; sec; byrow}) in
  let rec int = function O -> 0 | S n -> 1 + int n in
  {cols = (fun k -> let k = int k in if k < n then columns.(k) else {lo = None; hi = None; nul = True; sec = True; byrow = True}); most; there; present}
let rec bits = function XH -> "1" | XO p -> bits p ^ "0" | XI p -> bits p ^ "1"
let text = function Z0 -> "0" | Zpos p -> bits p | Zneg p -> "-" ^ bits p
let pair = function Some (Pair (a, b)) -> text a ^ " " ^ text b | None -> "- -"
let () = try while true do
  words := String.split_on_char ' ' (input_line stdin) |> List.filter (fun w -> w <> "");
  (try
    let n = number () in
    let tables = Array.init n (fun _ -> table ()) in
    let rec int = function O -> 0 | S n -> 1 + int n in
    let counted = (match word () with "sum" -> `Total (Sum (term ())) | "units" -> `Total Units | "distinct" -> `Values (term ()) | w -> raise (Odd w)) in
    let n = number () in
    let levels = several n terms in
    let i = analysed (fun t -> tables.(int t)) (source ()) in
    if !words <> [] then raise (Odd "more words");
    print_string (match counted, levels with
      | `Total x, _ -> pair (bound i x levels) ^ " " ^ pair (arrival i x levels)
      | `Values t, Cons (keys, Nil) -> let p = pair (different i t keys) in p ^ " " ^ p
      | `Values _, Nil -> "0 0 0 0"
      | `Values _, _ -> raise (Odd "levels"))
  with Odd w -> print_string ("odd " ^ w));
  print_newline ()
done with End_of_file -> ()
"""


def build(folder):
    (folder / "Extract.v").write_text(EXTRACT)
    subprocess.run(["coqc", "-q", "-Q", str(PROOFS), "Kith", "Extract.v"], cwd=folder, check=True, capture_output=True)
    (folder / "main.ml").write_text(MAIN)
    subprocess.run(["ocamlopt", "-w", "-a", "-o", "checker", "moves.mli", "moves.ml", "main.ml"], cwd=folder, check=True)
    return folder / "checker"


def opinions(checker, lines):
    """For each number, the largest over its cells: (l1, l2_squared, presence_l1, presence_l2_squared), None where a term has no ends."""
    out = subprocess.run([str(checker)], input="".join(text + "\n" for _, text in lines), capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(out) == len(lines), (len(out), len(lines))
    found = {}
    for (name, text), answer in zip(lines, out):
        assert "odd" not in answer, (name, text, answer)
        cell = [None if word == "-" else int(word, 2) for word in answer.split()]
        old = found.get(name)
        found[name] = cell if old is None else [None if a is None or b is None else max(a, b) for a, b in zip(old, cell)]
    return found


def refuses(proved, claimed):
    """What the proved checker says to a claim: whether one of the bounds is above it."""
    return any(p is None or p > c for p, c in zip(proved, claimed))


def main():
    writer, cases = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "1000"
    written = subprocess.run([writer, cases], capture_output=True, text=True, check=True).stdout.splitlines()
    kernel, persons, asked, faults, outside, refused = {}, {}, [], [], collections.Counter(), 0
    for line in written:
        kind, name, *rest = line.split(" ", 2)
        if kind == "K":
            *kernel[name], persons[name] = [int(word) for word in rest[0].split()]
        elif kind == "Q":
            asked.append((name, rest[0]))
        elif kind == "F":
            faults.append((name, rest[0]))
        elif kind == "O":
            outside[rest[0]] += 1
        else:
            refused += 1
    with tempfile.TemporaryDirectory() as scratch:
        checker = build(pathlib.Path(scratch))
        proved, unclamped = opinions(checker, asked), opinions(checker, faults)
    for found in (proved, unclamped):  # the persons of a household change one after another (household_checked)
        for name, size in persons.items():
            if size and name in found:
                found[name] = 2 * [None if number is None else number * times for number, times in zip(found[name], (size, size * size))]
    for name in [name for name in kernel if None in proved[name]]:  # kith reads reals as doubles with ends; the proved checker has whole numbers only
        outside["terms made of reals, without ends that it knows"] += 1
        del kernel[name]
    same = {name for name in kernel if proved[name] == kernel[name]}
    finer = {name for name in kernel if refuses(proved[name], kernel[name])}
    if len(sys.argv) > 3:
        texts = dict(asked)
        for name in sorted(finer):
            print(name, "kernel", kernel[name], "proved", proved[name], texts[name])
    nontrivial = [name for name in kernel if kernel[name][0] > 1 and name not in finer]
    halved = sum(refuses(proved[name], [number // 2 for number in kernel[name]]) for name in nontrivial)
    matters = [name for name in unclamped if name in kernel and name not in finer and unclamped[name] != proved[name]]
    seen = sum(refuses(unclamped[name], kernel[name]) for name in matters)
    print(f"statements: {len(kernel)} numbers of statements read by the proved checker: it finds the same in {len(same)}, less in {len(kernel) - len(same) - len(finer)}, and more in {len(finer)}, "
          "where the kernel uses a rule that is not in Moves.v")
    print(f"statements: outside of its syntax: {sum(outside.values())} numbers ({', '.join(f'{why}: {times}' for why, times in outside.most_common())}); refused by the kernel: {refused} statements")
    print(f"statements: planted faults: {halved} of {len(nontrivial)} halved bounds and {seen} of {len(matters)} clamps that matter, left out, are refused")
    wrong = []
    if len(kernel) < int(cases) or len(same) < 0.9 * len(kernel) or len(finer) > 0.08 * len(kernel):
        wrong.append("too few are compared, or too many differ")
    if halved < 0.98 * len(nontrivial) or seen < 0.95 * len(matters) or len(matters) < 20:
        wrong.append("planted faults are not seen")
    print("\n".join(f"statements: {what}" for what in wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
