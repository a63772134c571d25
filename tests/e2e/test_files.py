"""Files as programs write them: kith init finds out how, import and questions read them, and the answers are those of a plain file."""
import gzip
import shutil
import subprocess
import unittest

from kith_case import KithCase

TOWNS = ["Köln", "Zürich", "Łódź"]
PEOPLE = [(i, TOWNS[i % 2], 40 + i / 4, f"{1 + i % 28:02}.{1 + i % 12:02}.18{60 + i % 30}", None if i % 5 == 0 else i % 90) for i in range(300)]
COLUMNS = ["id", "town", "weight", "born", "age"]
QUESTION = ("SELECT count(*) AS n, count(age) AS a, count(*) FILTER (WHERE age = 17) AS s, count(*) FILTER (WHERE born >= '1875-01-01') AS late, "
            "count(*) FILTER (WHERE town = 'Zürich') AS z FROM people")


def iso(day):
    return "-".join(reversed(day.split(".")))


def usual():
    """Commas, points, ISO dates, nothing where nothing is."""
    rows = [[str(i), town, f"{weight:g}", iso(born), "" if age is None else str(age)] for i, town, weight, born, age in PEOPLE]
    return "\n".join(map(",".join, [COLUMNS, *rows])) + "\n"


def european(missing="NA"):
    rows = [[str(i), town, f"{weight:g}".replace(".", ","), born, missing if age is None else str(age)] for i, town, weight, born, age in PEOPLE]
    return "\n".join(map(";".join, [COLUMNS, *rows])) + "\n"


def from_r():
    """As R's write.table does: row names, one name too few, blanks, NA."""
    rows = [[f'"{i + 1}"', str(i), f'"{town}"', f"{weight:g}", iso(born), "NA" if age is None else str(age)] for i, town, weight, born, age in PEOPLE]
    return "\n".join(map(" ".join, [[f'"{name}"' for name in COLUMNS], *rows])) + "\n"


def from_pandas():
    """As pandas' to_csv does: an index without a name, and whole numbers with .0 where some are missing."""
    rows = [[str(i), str(i), town, f"{weight:g}", iso(born), "" if age is None else f"{age}.0"] for i, town, weight, born, age in PEOPLE]
    return "\n".join(map(",".join, [["", *COLUMNS], *rows])) + "\n"


class Files(KithCase):
    def decide(self, draft):
        """The decisions that init leaves to the curator, and the domains that the question needs."""
        for before, after in [('# key = "..." ', 'key = "id"  '), ("# max_rows = 1 ", "max_rows = 1 "), ('# presence = "secret"', 'presence = "secret"'),
                              ('# source = "public"', 'source = "public"'), ('# kind = "independent"', 'kind = "independent"'),
                              ("# epsilon = 1.0\nledger", "epsilon = 1000.0\nledger"), ('town = { type = "text" }', 'town = { values = ["Köln", "Zürich"] }'),
                              ('age = { type = "integer" }', "age = { lower = 0, upper = 100 }")]:
            self.assertIn(before, draft)
            draft = draft.replace(before, after, 1)
        return draft

    def made(self, name, content):
        """A file through init, import and a question. Returns the draft and the answer."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return self.asked(name)

    def asked(self, source):
        for old in [self.folder / "people.ledger", self.folder / ".kith"]:
            shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)
        for old in self.folder.glob("*.ledger*"):
            old.unlink()
        draft = self.ok(self.run_kith("init", source))
        table = next(line for line in draft.splitlines() if line.startswith("tables.")).split()[0].removeprefix("tables.")
        self.write("policy.toml", self.decide(draft))
        imported = self.run_kith("import", "policy.toml")
        self.ok(imported)
        self.assertNotIn("could not be read", imported.stderr)
        self.assertNotIn("broken", imported.stderr)
        out = self.json(self.ask(QUESTION.replace("people", table), "--epsilon", "500", "--json"))
        return draft, out["answer"]["rows"]

    # With this epsilon the probability of any noise is below e^-50.
    def exact(self):
        late = sum(iso(born) >= "1875" for _, _, _, born, _ in PEOPLE)
        ages = [age for *_, age in PEOPLE if age is not None]
        return [[300, len(ages), ages.count(17), late, sum(town == "Zürich" for _, town, *_ in PEOPLE)]]

    def test_every_way_of_writing_gives_the_same_answers(self):
        text = european()
        ways = {
            "a.csv": (usual().encode(), []),
            "b.csv.gz": (gzip.compress(usual().encode()), []),
            "c.csv": (text.encode(), ['separator = ";"', 'decimal = ","', 'missing = ["NA"]', 'dates = "%d.%m.%Y"']),
            "d.csv": (text.encode("latin-1"), ['encoding = "windows-1252"']),
            "e.csv.gz": (gzip.compress(text.encode("latin-1")), ['encoding = "windows-1252"', 'separator = ";"']),
            "f.csv": (text.encode("utf-16"), ['encoding = "utf-16"']),
            "g.csv": (text.replace("\n", "\r\n").encode("utf-8-sig"), ['separator = ";"']),
            "h.csv": (european(".").replace(";", "\t").encode(), ['separator = "\\t"', 'missing = ["."]']),
            "i.tsv": (european("?").replace(";", "\t").encode(), ['decimal = ","', 'missing = ["?"]']),
            "j.csv": (text.replace(";", "|").encode(), ['separator = "|"']),
            "k.csv": (from_r().encode(), ['separator = " "', "row_names = true", "one name too few"]),
            "l.csv": (from_pandas().encode(), ["# column 1 is left out: it has no name", "as pandas does"]),
        }
        if shutil.which("zstd"):
            packed = subprocess.run(["zstd", "-q"], input=text.encode(), capture_output=True, check=True).stdout
            ways["m.csv.zst"] = (packed, ['separator = ";"'])
        for name, (content, words) in ways.items():
            with self.subTest(name):
                draft, rows = self.made(name, content)
                self.assertEqual(rows, self.exact())
                for word in words:
                    self.assertIn(word, draft)

    def test_init_offers_the_other_sections(self):
        draft = self.ok(self.run_kith("init", "people.csv"))
        for words in ["# [stream]", "# distance = ", "# [[one_sided.attribute]]"]:
            self.assertIn(words, draft)

    def test_what_tells_units_apart_cannot_change_under_a_used_ledger(self):
        self.made("people.csv", usual().encode())
        policy = (self.folder / "policy.toml").read_text()
        question = QUESTION, "--epsilon", "1"
        self.write("policy.toml", policy.replace('"people.csv"', '{ source = "people.csv", encoding = "latin-1" }', 1))
        self.refused(self.ask(*question), 2, "encoding")
        self.write("policy.toml", policy.replace('"people.csv"', '{ source = "people.csv", missing = ["17"] }', 1))
        self.refused(self.ask(*question), 2, "column people.id changed")
        # A secret column may be read differently: the data are imported again, and the question is a different one.
        self.write("policy.toml", policy.replace("age = { lower", 'age = { missing = ["17"], lower', 1))
        self.refused(self.ask(*question), 5, "import")
        self.ok(self.run_kith("import", "policy.toml"))
        rows = self.json(self.ask(QUESTION, "--epsilon", "400", "--json"))["answer"]["rows"]
        n, ages, seventeen, late, zurich = self.exact()[0]
        self.assertEqual(rows, [[n, ages - seventeen, 0, late, zurich]])

    def test_mistakes_are_named(self):
        self.write("people.csv", "id;ill\n1;yes\n")
        self.refused(self.run_kith("import", "policy.toml"), 2, "declare the separator")
        self.write("packed.csv.gz", "id,ill\n1,yes\n")
        self.refused(self.run_kith("init", "packed.csv.gz"), 2, "not compressed as its name says")


if __name__ == "__main__":
    unittest.main()
