#!/usr/bin/env python3
"""Verifies a witness that `kith transfer MODEL --plain X --witness FILE` wrote: that its numbers prove the bound it states. Plain Python with 50 digits; it takes
the model, the plain loss and the numbers from the file, and knows nothing of kith. README.md says what is checked, and why that is enough.

Usage: verify.py FILE      (prints what was verified; or what fails, and ends with 1)
"""
import functools
import itertools
import json
import sys
from decimal import Decimal, getcontext

getcontext().prec = 50
TINY = 1 + Decimal("1e-35")  # room for the rounding of 50 digits
ROOT_PI, ROOT_8 = Decimal("3.14159265358979323846264338327950288419716939937511").sqrt(), Decimal(8).sqrt()


def refuse(why):
    sys.exit(f"NOT verified: {why}")


class Pure:
    """Losses as e^(t/2), so that losses that add up are products, and what passes a tie is a fraction. Infinity is None."""
    none = Decimal(1)
    of = staticmethod(lambda t: None if t is None else (Decimal(t) / 2).exp())
    join = staticmethod(lambda a, b: None if a is None or b is None else a * b)
    without = staticmethod(lambda a, b: a / b)

    @staticmethod
    def passed(c, g):
        return c if g is None else g if c is None else (1 + c * g) / (c + g)


def erf(x):
    term, total, n = x, x, 0
    while abs(term) > Decimal("1e-55"):
        n += 1
        term *= -x * x / n
        total += term / (2 * n + 1)
    return 2 * total / ROOT_PI


class Gaussian:
    """Losses as they are. What passes a tie: the s with erf(s / sqrt 8) = tanh(theta / 4) erf(t / sqrt 8)."""
    none = Decimal(0)
    of = staticmethod(lambda t: None if t is None else Decimal(t))
    join = staticmethod(lambda a, b: None if a is None or b is None else a + b)
    without = staticmethod(lambda a, b: a - b)

    @staticmethod
    @functools.lru_cache(None)
    def passed(theta, t):
        if theta is None or t == 0:
            return t
        e = (theta / 2).exp()
        y = (e - 1) / (e + 1) * (erf(t / ROOT_8) if t is not None and t < 20 else 1)
        x = step = y
        while abs(step) > Decimal("1e-40"):  # Newton, from below: erf is concave
            step = (y - erf(x)) * ROOT_PI / 2 * (x * x).exp()
            x += step
        return x * ROOT_8


def below(stated, *proved):
    """Whether a stated number is less than everything that is proved."""
    return stated is not None and all(p is None or stated * TINY < p for p in proved)


class Field:
    def __init__(self, file):
        model = file["model"]
        self.how = how = Pure if file["loss"] == "pure" else Gaussian
        self.n, self.hidden = model["nodes"], set(model["hidden"])
        self.plain = [how.of(0 if i in self.hidden else file["plain"]) for i in range(self.n)]
        self.ties = [(records, how.of(theta)) for records, theta in model["ties"]]
        self.messages = [[how.of(t) for t in row] for row in file["messages"]]
        self.blocks = [(b["nodes"], b["ties"], [how.of(t) for t in b["inside"]]) for b in file["blocks"]]
        self.depths, self.bound = file["depths"], how.of(file["bound"])
        self.ties_of, self.blocks_of, self.block_of = [[] for _ in range(self.n)], [[] for _ in range(self.n)], {}
        for k, (records, _) in enumerate(self.ties):
            if not len(set(records)) == len(records) == len(self.messages[k]) > 1:
                refuse("a tie is not between different records, or lacks a message")
            for i in records:
                self.ties_of[i].append(k)
        for b, (nodes, ties, _) in enumerate(self.blocks):
            if len({frozenset(self.ties[k][0]) for k in ties}) < len(ties) or any(k in self.block_of or len(self.ties[k][0]) != 2 or not set(self.ties[k][0]) <= set(nodes) for k in ties):
                refuse("a block holds what it may not hold")
            self.block_of.update(dict.fromkeys(ties, b))
            for place, i in enumerate(nodes):
                self.blocks_of[i].append((b, place))
        self.group = [None] * self.n  # what all records lose together that are tied to one, directly or not
        for start in range(self.n):
            if self.group[start] is None:
                found, queue = {start}, [start]
                for i in queue:
                    new = {j for k in self.ties_of[i] for j in self.ties[k][0]} - found
                    found |= new
                    queue += new
                together = self.all(self.plain[i] for i in queue)
                for i in queue:
                    self.group[i] = together

    def all(self, parts, first=None):
        return functools.reduce(self.how.join, parts, self.how.none if first is None else first)

    def told(self, k, i):
        """What tie k tells record i, from the messages of its other records."""
        return self.how.passed(self.ties[k][1], self.all(m for j, m in zip(self.ties[k][0], self.messages[k]) if j != i))

    def links(self, i, b, but=None):
        return self.all(self.told(k, i) for k in self.ties_of[i] if self.block_of.get(k) == b and k != but)

    def about(self, i, but_block=None, but_tie=None):
        """Everything about record i, but one block or one tie that is in none."""
        parts = [self.told(k, i) for k in self.ties_of[i] if k not in self.block_of and k != but_tie]
        inside = [(self.blocks[b][2][place], self.links(i, b)) for b, place in self.blocks_of[i] if b != but_block]
        return self.all(parts + [min((x for x in pair if x is not None), default=None) for pair in inside], self.plain[i])

    def recursion(self, b):
        """Walks inside a block that never return: f(i, left) is what its links tell record i while the set `left` of others is unknown."""
        (nodes, ties, _), how = self.blocks[b], self.how
        outside = {i: self.about(i, but_block=b) for i in nodes}
        link = {pair: self.ties[k][1] for k in ties for pair in itertools.permutations(self.ties[k][0])}

        @functools.lru_cache(None)
        def walk(i, left):
            near = [j for j in left if (i, j) in link]
            rest = left - set(near)
            at_once = how.passed(self.all(link[i, j] for j in near), self.all(how.join(outside[j], walk(j, rest)) for j in near))
            return min(at_once, self.all(how.passed(link[i, j], how.join(outside[j], walk(j, left - {j}))) for j in near))

        def clique(i, left):  # of all sets of a size, that of the largest losses
            c, largest, told = max(link.values()), sorted((outside[j] for j in left), key=lambda o: Decimal("inf") if o is None else o, reverse=True), how.none
            for size in range(1, len(left) + 1):
                one_by_one = self.all(how.passed(c, how.join(o, told)) for o in largest[:size])
                told = min(one_by_one, how.passed(self.all([c] * size), self.all(largest[:size])))
            return told
        return walk if len(nodes) <= 8 else clique

    def walk(self, i, depth, taken=frozenset()):
        loss, taken = self.plain[i], taken | {i}
        for k in self.ties_of[i]:
            left = [(j, m) for j, m in zip(self.ties[k][0], self.messages[k]) if j not in taken]
            parts = [m if depth == 0 else self.walk(j, depth - 1, taken | (set(self.ties[k][0]) - {j})) for j, m in left]
            loss = self.how.join(loss, self.how.passed(self.ties[k][1], self.all(parts))) if parts else loss
        return loss

    def verify(self):
        how, walks = self.how, [self.recursion(b) for b in range(len(self.blocks))]
        for b, (nodes, _, inside) in enumerate(self.blocks):
            if any(below(stated, walks[b](i, frozenset(nodes) - {i}), self.links(i, b)) for i, stated in zip(nodes, inside)):
                refuse(f"what block {b} tells a record is less than its links can tell it")
        for k, (records, _) in enumerate(self.ties):
            for i, message in zip(records, self.messages[k]):
                others, b = [j for j in records if j != i], self.block_of.get(k)
                if not below(message, how.without(self.group[i], self.all(self.plain[j] for j in others)), self.about(i, but_tie=k) if b is None else None):
                    continue  # nobody loses more than all others of the group together
                nodes, outside = (self.blocks[b][0], self.about(i, but_block=b)) if b is not None else ([], None)
                if b is None or below(message, how.join(outside, self.links(i, b, but=k)), how.join(outside, walks[b](i, frozenset(nodes) - {i, *others})) if len(nodes) <= 8 else None):
                    refuse(f"the message of record {i} to its tie {k} is less than what reaches that record")
        for i in set(range(self.n)) - self.hidden:
            ways = [lambda: self.about(i), lambda: self.group[i], lambda: self.walk(i, self.depths[i]) if self.depths else None,
                    lambda: how.join(self.plain[i], how.passed(self.all(self.ties[k][1] for k in self.ties_of[i]), how.without(self.group[i], self.plain[i])))]
            if all(below(self.bound, way()) for way in ways):
                refuse(f"the bound is less than what is proved about record {i}")
        return f"{self.n} records, {sum(map(len, self.messages))} messages, {len(self.blocks)} blocks"


def programme(file):
    """A joint law: between two values of a record, E_p K <= ratio E_q K for all kernels K of the others that change by at most e^plain with each of them."""
    values, law, loss = file["model"]["values"], [Decimal(x) for x in file["model"]["law"]], Decimal(file["plain"])
    states, proofs = list(itertools.product(*map(range, values))), {(p["record"], p["a"], p["b"]): p for p in file["proofs"]}
    for i, size in enumerate(values):
        others = list(itertools.product(*(range(v) for j, v in enumerate(values) if j != i)))
        given = [[sum(w for w, s in zip(law, states) if s[i] == a and s[:i] + s[i + 1:] == z) for z in others] for a in range(size)]
        apart = [[sum(x != y for x, y in zip(z, u)) for u in others] for z in others]
        for a, b in itertools.permutations([a for a in range(size) if sum(given[a]) > 0], 2):
            p, q = ([w / sum(given[x]) for w in given[x]] for x in (a, b))
            proof, s = proofs.get((i, a, b)), ((len(values) - 1) * loss).exp() - 1
            order = sorted((z for z in range(len(p)) if p[z] > 0), key=lambda z: p[z] / q[z] if q[z] else Decimal("inf"), reverse=True)
            sets = [order[:k] for k in range(len(order) + 1)]
            ratio = max((1 + s * sum(p[z] for z in some)) / (1 + s * sum(q[z] for z in some)) for some in sets)  # any kernel of that range
            if proof is not None:
                left = [x - Decimal(proof["ratio"]) * y for x, y in zip(p, q)]
                for upper, lower, weight in proof["weights"]:
                    if weight < 0 or apart[upper][lower] != 1 or proof["ratio"] < 0:
                        refuse("a weight is negative, or not between neighbours")
                    left[upper] -= Decimal(weight)
                    left[lower] += Decimal(weight) * loss.exp()
                most = [min((apart[z][u] * loss).exp() / q[u] for u in range(len(q)) if q[u] > 0) for z in range(len(q))]  # K(z) where E_q K = 1
                ratio = min(ratio, Decimal(proof["ratio"]) + sum(x * m for x, m in zip(left, most) if x > 0))
            if below(Decimal(file["bound"]).exp(), loss.exp() * ratio):
                refuse(f"the bound is less than what is proved about record {i} between its values {a} and {b}")
    return f"{len(values)} records, {len(proofs)} proofs by weights"


if __name__ == "__main__":
    with open(sys.argv[1]) as text:
        witness = json.load(text)
    print("verified:", programme(witness) if witness["kind"] == "programme" else Field(witness).verify(), f"prove the bound {witness['bound']!r}")
