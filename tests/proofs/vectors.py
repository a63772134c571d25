#!/usr/bin/env python3
"""Compares kith's transfer functions with the bounds that Coq computes as exact rationals (proofs/Bounds.v), on hundreds of models made by seed.

A half exponential that is no rational (an odds ratio that is no square, e^(loss / 2)) is put in as a rational end below and one above. kith's number
must not be below what the lower ends give, nor more than 1e-12 (relative) above what the upper ends give. Then the same comparison must see planted
faults: what the program would print with a wrong sign, a missing neighbour, a value rounded down, and more.

The exact loss of groups with non-negative ties (proofs/Exact.v) is compared in the same way with kith and with its closed form in spins.

Usage: vectors.py KITH [SEED]     (Coq's files must be there: make -C proofs)
"""
import decimal
import fractions
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

decimal.getcontext().prec = 70
Decimal, Fraction = decimal.Decimal, fractions.Fraction
PROOFS = pathlib.Path(__file__).resolve().parents[2] / "proofs"
BITS = 64
TOLERANCE = Decimal(10) ** -12


def ends(value):
    """Rationals below and above a positive decimal number."""
    whole = int(value * 2 ** BITS)
    return Fraction(whole, 2 ** BITS), Fraction(whole + 1, 2 ** BITS)


def half(log):
    return ends((Decimal(log) / 2).exp())


def root(ratio):
    return ends(Decimal(ratio).sqrt())


def models(seed):
    """(model for kith, plain loss, what to compute): groups, groups with a hidden cause, fields on random graphs."""
    rng = random.Random(seed)
    squares = [1.21, 1.44, 2.25, 4.0, 9.0, 1.0]
    for k in range(110):
        ratio = rng.choice(squares) if k % 4 == 0 else rng.choice([1.1, 1.2, 1.5, 2.0, 3.0, 40.0, round(rng.uniform(1.01, 12), 3)])
        yield {"kind": "group", "size": rng.randint(2, 8), "odds_ratio": ratio}, rng.choice([0.01, 0.05, 0.1, 0.25, 0.5, 1.0, round(rng.uniform(0.001, 2), 4)])
    for k in range(50):
        yield {"kind": "group", "size": rng.randint(2, 30), "hidden": True, "odds_ratio": round(rng.uniform(1.05, 9), 3)}, round(rng.uniform(0.01, 1), 3)
    for k in range(90):
        nodes = rng.choice([2, 3, 3, 4, 4, 4, 5])
        chosen = [pair for pair in [(a, b) for a in range(nodes) for b in range(a + 1, nodes)] if rng.random() < (0.5 if k % 2 else 0.9)]
        same = round(rng.uniform(0.05, 2), 3)
        edges = [[a, b, same if k % 3 == 0 else round(rng.uniform(0.05, 2.5), 3)] for a, b in chosen]
        hidden = [rng.randrange(nodes)] if k % 5 == 0 else []
        yield {"kind": "field", "nodes": nodes, "edges": edges, **({"hidden": hidden} if hidden else {})}, round(rng.uniform(0.01, 1.2), 3)


def exact_models(seed):
    """Groups with non-negative ties: (size, odds ratio, plain loss)."""
    rng = random.Random(seed)
    return [(2 + k % 6, rng.choice([1.44, 4.0, 1.05, 1.2, 1.5, 40.0, round(rng.uniform(1.01, 12), 3)]), rng.choice([0.01, 0.1, 0.5, 1.0, round(rng.uniform(0.001, 2), 4)])) for k in range(18)]


def exact_terms(size, ratio, plain):
    (loss_low, loss_high), (link_low, link_high) = half(plain), root(ratio)
    return [f"exactr {side} {' '.join(rational(q) for q in (link_low, loss_low, link_high, loss_high))} {size - 1}" for side in ("false", "true")]


def spins(size, ratio, plain, fault=None):
    """Lambda + 2 ln(W((theta + Lambda) / 4) / W((theta - Lambda) / 4)), W(b) a sum over the spins of the others, with 60 digits."""
    n, theta, loss = size - 1, Decimal(ratio).ln(), Decimal(plain)
    if fault == "one relative too few":
        n -= 1
    if fault == "a weaker tie":
        theta *= Decimal("0.999")

    def w(b):
        return sum(math.comb(n, k) * (theta * (2 * k - n) ** 2 / 8 + b * (2 * k - n)).exp() for k in range(n + 1))
    below = (loss - theta if fault != "a sign" else -loss - 3 * theta) / 4
    return loss + 2 * (w((theta + loss) / 4) / w(below)).ln()


def rational(q):
    return f"({q.numerator} # {q.denominator})%Q"


def expressions(model, plain):
    """The Coq terms of one model: [(name, [term, ...]), ...]; the first is rounded down from the lower ends, all others up from the upper ones."""
    losses, sides = half(plain), ("false", "true")
    if model["kind"] == "group":
        strength, size = root(model["odds_ratio"]), model["size"]
        both = [(side, rational(losses[e]), rational(strength[e])) for e, side in enumerate(sides)]
        if model.get("hidden"):
            return [("field", [f"hiddenr {side} {loss} {link} {size - 1}" for side, loss, link in both])]
        return [("association", [f"fst (assocr {side} {loss} {link} {size - 1})" for side, loss, link in both]),
                ("block", [f"block_capr {side} {loss} {link} {size - 1}" for side, loss, link in both]),
                ("group", [f"powr {side} {loss} {size}" for side, loss, _ in both])]
    n, hidden, out = model["nodes"], model.get("hidden", []), []
    records = [i for i in range(n) if i not in hidden]  # a hidden cause is nobody's record
    for i in sorted(random.Random(len(model["edges"])).sample(records, min(2, len(records)))):
        terms = []
        for e, side in enumerate(sides):
            loss = "(fun i => " + "".join(f"if (i =? {h})%nat then 1%Q else " for h in hidden) + rational(losses[e]) + ")"
            link = "(fun i j => " + "".join(f"if ((i =? {a}) && (j =? {b}) || (i =? {b}) && (j =? {a}))%nat then {rational(half(t)[e])} else " for a, b, t in model["edges"]) + "1%Q)"
            terms.append((side, loss, link))
        rest = f"(remove Nat.eq_dec {i}%nat (seq 0 {n}))"
        out.append((i, [f"timesr {side} ({loss} {i}%nat) (blockr {side} (seq 0 {n}) {loss} {link} {n - 1} {i} {rest})" for side, loss, link in terms]))
    return out


def computed(cases):
    """Coq's numbers for all terms: 2 ln of each, with 60 digits."""
    terms = [term for _, _, named in cases for _, list_ in named for term in list_]
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "Vectors.v"
        file.write_text("From Kith Require Import Bounds.\nRequire Import ZArith QArith List Bool Arith.\nImport ListNotations.\nOpen Scope Z_scope.\n"
                        "Definition whole (q : Q) : Z := Z.div (Qnum q * 2 ^ 96) (Zpos (Qden q)).\n"
                        + "".join(f"Eval vm_compute in whole ({term}).\n" for term in terms))
        run = subprocess.run(["coqc", "-q", "-Q", str(PROOFS), "Kith", str(file)], capture_output=True, text=True, timeout=600)
    if run.returncode:
        sys.exit("vectors: Coq refuses the vectors: " + run.stderr[-2000:])
    numbers = [int(number) for number in re.findall(r"=\s*(\d+)", run.stdout)]
    assert len(numbers) == len(terms), (len(numbers), len(terms))
    return [(Decimal(n) / 2 ** 96).ln() * 2 for n in numbers]


def said(kith, model, plain):
    """What kith prints: by name of the bound for groups, by record for fields."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(model, file)
        file.flush()
        out = json.loads(subprocess.run([kith, "transfer", file.name, "--plain", repr(plain), "--json"], capture_output=True, text=True, check=True).stdout)
    if model["kind"] == "field":
        return dict(enumerate(out["per_record"])) if out["per_record"] else {i: out["dependent"] for i in range(model["nodes"])}
    return out["bounds"]


def agrees(value, below, above):
    return below <= Decimal(value) <= above + TOLERANCE * max(abs(above), Decimal(1) / 1000)


# ---- planted faults: the formulas in doubles, as the program has them, and what it would print with a fault

def phi(theta, t, fault):
    c, u = math.exp(theta / 2), math.exp(t / 2)
    if fault == "a sign":
        return 2 * math.log((1 + c * u) / (c - u)) if c > u else t
    if fault == "the geometric mean instead of the odds":
        return theta * t / (theta + t) if theta + t else 0.0
    return 2 * math.log1p((c - 1) * (u - 1) / (c + u))


def program(model, plain, fault):
    if model["kind"] == "field":
        n, hidden = model["nodes"], model.get("hidden", [])
        strength = {}
        for a, b, t in model["edges"]:
            strength[a, b] = strength[b, a] = t
        if fault == "a missing neighbour" and model["edges"]:
            a, b, _ = model["edges"][-1]
            strength.pop((a, b))
        lam = [0.0 if i in hidden and fault != "a hidden cause that is charged" else plain for i in range(n)]

        def added(j, s):
            links = [k for k in s if (j, k) in strength]
            if not links:
                return 0.0
            one = sum(phi(strength[j, k], lam[k] + added(k, s - {k} - ({j} if fault == "walks that return" else set())), fault) for k in links)
            return min(one, phi(sum(strength[j, k] for k in links), sum(lam[k] for k in s), fault))
        values = {i: lam[i] + added(i, frozenset(range(n)) - {i}) for i in range(n)}
    else:
        m, theta = model["size"], math.log(model["odds_ratio"])
        if fault == "one relative too few":
            m -= 1
        if model.get("hidden"):
            values = {"field": plain + phi(theta, (m - 1) * phi(theta, plain, fault), fault)}
        else:
            t, r = plain, theta
            for _ in range(m - 1):
                t, r = t + phi(r, t, fault), r if fault == "strengths that do not grow" else r + phi(r, r, fault)
            values = {"association": t, "block": plain + phi((m - 1) * theta, (m - 1) * plain, fault), "group": m * plain}
    if fault == "rounding down":
        return {name: value * (1 - 2 ** -46) for name, value in values.items()}
    return {name: value * (1 + 2 ** -45) for name, value in values.items()}


FAULTS = ["a sign", "a missing neighbour", "rounding down", "one relative too few", "strengths that do not grow", "a hidden cause that is charged",
          "the geometric mean instead of the odds"]


def main():
    kith, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    cases = [(model, plain, expressions(model, plain)) for model, plain in models(seed)]
    exact = exact_models(seed)
    numbers, wanted = iter(computed(cases + [(None, None, [("exact", exact_terms(*group))]) for group in exact])), []
    for model, plain, named in cases:
        limits = {}
        for name, terms in named:
            got = [next(numbers) for _ in terms]
            limits[name] = got[0], max(got[1:])
        wanted.append((model, plain, limits))
    wrong, compared, tight = [], 0, 0
    for model, plain, limits in wanted:
        values = said(kith, model, plain)
        for name, (below, above) in limits.items():
            compared += 1
            if not agrees(values[name], below, above):
                wrong.append(f"{json.dumps(model)} at {plain}, {name}: kith says {values[name]!r}, proved are {below:.20f} to {above:.20f}")
            tight += Decimal(values[name]) <= below * (1 + TOLERANCE)
    print("\n".join(wrong[:20]))
    print(f"vectors: {len(cases)} models, {compared} bounds compared, {tight} of them equal to the lower one within 1e-12, {len(wrong)} disagree")

    def misses(fault):
        return sum(not agrees(program(model, plain, fault).get(name, 0), *limit) for model, plain, limits in wanted for name, limit in limits.items())
    blind = [fault for fault in FAULTS if not misses(fault)]
    sound = misses(None)
    for fault in FAULTS:
        print(f"vectors: planted, {fault}: {misses(fault)} of {compared} comparisons see it")
    if sound:
        print(f"vectors: without a fault the copy of the formula disagrees {sound} times")
    limits = [(next(numbers), next(numbers)) for _ in exact]
    for (size, ratio, plain), limit in zip(exact, limits):
        value = said(kith, {"kind": "group", "size": size, "odds_ratio": ratio, "ties": "non-negative"}, plain)["non-negative"]
        if not agrees(value, *limit):
            wrong.append(f"non-negative group of {size}, {ratio}, at {plain}")
            print(f"{wrong[-1]}: kith says {value!r}, proved are {limit[0]:.20f} to {limit[1]:.20f}")

    def outside(fault=None):
        return [group for group, limit in zip(exact, limits) if not agrees(spins(*group, fault), *limit)]
    faults = ["one relative too few", "a weaker tie", "a sign"]
    print(f"vectors: {len(exact)} exact groups, {len(outside())} disagree; planted: " + ", ".join(f"{fault} {len(outside(fault))}" for fault in faults))
    return 1 if wrong or blind or sound or outside() or not all(map(outside, faults)) else 0


if __name__ == "__main__":
    sys.exit(main())
