"""Bad input gets a clear error, and nothing is lost."""
import os
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from kith_case import ILL, KITH, PEOPLE, POLICY, KithCase

SECRET = POLICY.replace('presence = "public"', 'presence = "secret"')


class BadQuestion(KithCase):
    def test_missing_policy(self):
        self.refused(self.ask(policy="nowhere.toml"), 2, "nowhere.toml", "kith init")
        self.refused(self.run_kith("transfer", "nowhere.json", "--plain", "1"), 2, "nowhere.json")

    def test_missing_data_charges_nothing(self):
        (self.folder / "people.csv").unlink()
        self.refused(self.ask(), 2, "people.csv")
        self.assertEqual(self.spent(), 0)

    def test_prices_that_are_no_prices(self):
        for price in ["0", "-1", "nan", "inf", "-inf", "1e300"]:
            self.assertIn(self.ask(ILL, f"--epsilon={price}").returncode, (2, 3), price)
        for error in ["0", "-5", "nan", "inf"]:
            self.refused(self.ask(ILL, f"--error={error}"), 2)
        self.refused(self.run_kith("query", "policy.toml", ILL), 2, "--epsilon")
        self.refused(self.ask(ILL, "--epsilon", "0.1", "--error", "5"), 2)
        self.refused(self.ask(ILL, "--epsilon", "0.00000000001"), 3, "too small")
        self.refused(self.ask(ILL, "--epsilon", "5"), 3, "at most 1", "--epsilon")
        self.refused(self.ask(ILL, "--epsilon", "much"), 2, "not a number", "--epsilon")
        self.refused(self.ask("SELECT avg(age) FROM people", "--error", "5"), 4, "kith explain", "the sum and the count")
        self.assertEqual(self.spent(), 0)

    def test_unknown_and_unbounded_columns(self):
        self.refused(self.ask("SELECT count(*) FROM people WHERE height > 3"), 4, "height")
        self.write("policy.toml", POLICY.replace("age   = { lower = 0, upper = 120 }", 'age   = { type = "integer" }'))
        self.refused(self.ask("SELECT sum(age) FROM people"), 4, "age")

    def test_two_statements_and_long_texts(self):
        self.refused(self.ask(ILL + "; " + ILL), 4, "one")
        def worked():  # processor time of the programs that have ended: a busy machine does not count
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime
        before = worked()
        big = "SELECT count(*) FROM people WHERE " + "age > 1 AND " * 87000 + "age > 2"
        self.write("big.sql", big)
        self.refused(self.ask(big[:120000]), 4, "8192")
        self.refused(self.run_kith("query", "policy.toml", "-", "--epsilon", "0.1", input=big), 4, "8192")
        self.assertLess(worked() - before, 5)
        for text in ["(" * 3000 + "1" + ")" * 3000, "1" + "+1" * 2500, "NOT " * 1500 + "true"]:
            self.assertIn(self.ask(f"SELECT count(*) FROM people WHERE {text} > 0").returncode, (2, 4))

    def test_an_engine_that_is_not_known_is_refused_by_every_verb(self):
        for engine, words in [('"postgresql://ann@localhost/db"', "not an address"), ('"oracle"', "unknown engine")]:
            self.write("policy.toml", POLICY.replace("[data]", f"[data]\nengine = {engine}"))
            for verb in ["explain", "query"]:
                self.refused(self.run_kith(verb, "policy.toml", ILL, "--epsilon", "0.1"), 2, words, "duckdb")

    def test_wrong_type(self):
        self.refused(self.ask("SELECT sum(ill) FROM people"), 4, "ill")
        self.refused(self.ask("SELECT count(*) FROM people WHERE age > 'old'"), 4)


class BadFiles(KithCase):
    def test_free_counts_do_not_show_that_a_row_cannot_be_read(self):
        rows = PEOPLE.splitlines()
        rows[5] = '4,1,B,"24,no'  # an open quote must not swallow the rows after it
        rows[9] = "8,2"
        rows[20] = "19,6,B,old,no"  # a field that cannot be read is NULL; the row stays
        self.write("people.csv", "\n".join(rows) + "\n")
        self.refused(self.run_kith("import", "policy.toml"), 2, "lines 6 and 10 cannot be read")
        rows[5], rows[9] = "4,1,B,,no", "8,2,,,"
        self.write("people.csv", "\n".join(rows) + "\n")
        self.ok(self.run_kith("import", "policy.toml"))
        done = self.ask("SELECT count(*) AS n FROM people", "--epsilon", "0.1", "--json")
        self.assertEqual(self.json(done)["answer"]["rows"], [[300]])  # only public facts: no noise

    def test_the_curator_is_told_about_rows_that_a_question_read_in(self):
        rows = PEOPLE.splitlines()
        rows[9] = "8,2"
        self.write("people.csv", "\n".join(rows) + "\n")
        self.write("policy.toml", SECRET)
        asked = self.ask()
        self.assertIn("shows what was read", asked.stderr)
        self.assertNotIn("broken", asked.stderr)  # not for the analyst
        told = self.run_kith("import", "policy.toml")
        self.assertIn("1 broken row was dropped", told.stderr)
        self.assertIn("data version 2", self.ask().stdout)  # a new version, whatever is in the file

    def test_a_file_that_changes_counts_when_it_is_imported_on_the_same_budget(self):
        first = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.write("people.csv", PEOPLE + "300,100,A,50,yes\n")
        self.assertTrue(self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))["stored"])
        self.ok(self.run_kith("import", "policy.toml"))
        second = self.json(self.ask(ILL, "--epsilon", "0.1", "--json"))
        self.assertFalse(second["stored"])
        self.assertAlmostEqual(second["plain"]["spent_total"], 2 * first["plain"]["spent_total"])

    def test_missing_column(self):
        self.write("people.csv", PEOPLE.replace("id,house,ward,age,ill", "id,house,ward,years,ill"))
        self.refused(self.ask(), 2, "age")

    def test_a_group_larger_than_promised(self):
        self.write("policy.toml", POLICY.replace("size = 3", "size = 2"))
        self.refused(self.ask(), 2, "size")


class BadLedger(KithCase):
    def damaged(self, change):
        self.ok(self.ask())
        change(self.folder / "people.ledger")
        return self.ask(ILL + " AND age > 3", "--epsilon", "0.1")

    def test_corrupt(self):
        def scribble(path):
            data = bytearray(path.read_bytes())
            data[100:400] = random.Random(1).randbytes(300)
            path.write_bytes(data)
        self.refused(self.damaged(scribble), 5, "people.ledger", "try:")

    def test_edited(self):
        def refund(path):
            with sqlite3.connect(path) as db:
                self.assertEqual(db.execute("UPDATE postings SET amount = 1").rowcount, 1)
        self.refused(self.damaged(refund), 5, "people.ledger")

    def test_trigger_under_a_name_of_sqlite(self):
        def plant(path):
            with sqlite3.connect(path) as db:
                db.execute("PRAGMA writable_schema = on")
                db.execute("INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_t', 'entries', 0, "
                           "'CREATE TRIGGER sqlite_t AFTER INSERT ON entries BEGIN UPDATE summary SET charges = 1; END')")
        self.refused(self.damaged(plant), 5, "people.ledger", "tables are not those of a ledger")

    def test_lost(self):
        def remove(path):
            for file in path.parent.glob("people.ledger*"):
                file.unlink()
        self.refused(self.damaged(remove), 5, "lost")

    def test_of_another_policy(self):
        self.ok(self.ask())
        self.write("policy.toml", POLICY.replace('presence = "public"', 'presence = "secret"'))
        self.refused(self.ask(), 2, "ledger", "presence was public and is now secret", "undo that change")

    def test_nothing_is_frozen_before_the_first_charge(self):
        self.ok(self.run_kith("import", "policy.toml"))
        self.refused(self.ask(ILL, "--error", "0.001"), 3)  # the ledger exists now, and is empty
        self.write("policy.toml", POLICY.replace("upper = 120", "upper = 200"))
        self.ok(self.ask())

    def test_a_folder_that_does_not_exist(self):
        self.write("policy.toml", POLICY.replace('"people.ledger"', '"nowhere/people.ledger"'))
        self.refused(self.ask(), 5, "nowhere")

    def test_a_file_size_limit_loses_nothing(self):
        self.ok(self.ask())
        before = self.spent()

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = self.ask(ILL + " AND age > 3", "--epsilon", "0.1", preexec_fn=limit)
        self.assertEqual(done.returncode, 5, done.stdout + done.stderr)
        self.assertGreaterEqual(self.spent(), before)
        self.ok(self.ask(ILL + " AND age > 3", "--epsilon", "0.1"))

    def test_two_writers(self):
        self.ok(self.run_kith("import", "policy.toml"))
        running = [subprocess.Popen([str(KITH), "query", "policy.toml", f"{ILL} AND age > {i}", "--epsilon", "0.3"], cwd=self.folder,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(8)]
        codes = sorted(process.wait(200) for process in running)
        for process in running:
            process.stdout.close()
            process.stderr.close()
        self.assertEqual(codes, [0] * 3 + [3] * 5)


SMALL_DISK = """
mount -t tmpfs -o size=2500k tmpfs disk || exit 77
cp people.csv policy.toml disk && cd disk || exit 77
"$KITH" query policy.toml "$ILL" --epsilon 0.1 > first.txt || exit 1
"""


class BadDisk(KithCase):
    """A small disk of its own, in a name space of its own."""

    def on_small_disk(self, script):
        (self.folder / "disk").mkdir()
        command = ["unshare", "-m", "bash", "-c"] if os.geteuid() == 0 else ["unshare", "-rm", "bash", "-c"]
        done = subprocess.run([*command, SMALL_DISK + script], cwd=self.folder, text=True, capture_output=True, timeout=120,
                              env=dict(os.environ, KITH=str(KITH), ILL=ILL))
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("this machine lets nobody mount a small disk")
        return done

    def test_a_full_disk(self):
        done = self.on_small_disk("""
head -c 9000000 /dev/zero > fill
"$KITH" query policy.toml "$ILL AND age > 3" --epsilon 0.1; echo "exit $?"
rm fill
"$KITH" query policy.toml "$ILL AND age > 3" --epsilon 0.1 > second.txt; echo "exit $?"
"$KITH" budget policy.toml
""")
        self.assertIn("exit 5\nexit 0\n", done.stdout, done.stderr)
        self.assertIn("charged", done.stderr)
        self.assertIn("try:", done.stderr)
        self.assertRegex(done.stdout, "(?m)^2 .*3 < age")

    def test_a_disk_that_cannot_be_written(self):
        done = self.on_small_disk("""
mount -o remount,ro . || exit 77
"$KITH" query policy.toml "$ILL AND age > 3" --epsilon 0.1; echo "exit $?"
""")
        self.assertIn("exit 5\n", done.stdout, done.stderr)
        self.assertIn("nothing was charged", done.stderr)
        self.assertIn("read-only", done.stderr)


class Interrupted(KithCase):
    def reading(self, people):
        """A question that reads so many people in, stopped (SIGSTOP) while it does; nothing if it was done before that."""
        shutil.rmtree(self.folder / ".kith", ignore_errors=True)
        for left in self.folder.glob("people.ledger*"):
            left.unlink()
        big = "".join(f"{i},{i // 3},A,30,no\n" for i in range(people))
        self.write("people.csv", "id,house,ward,age,ill\n" + big)
        process = subprocess.Popen([str(KITH), "query", "policy.toml", ILL, "--epsilon", "0.1"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        def begun():
            return any((self.folder / ".kith").glob("import-*"))
        while not begun() and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        try:
            read = int(pathlib.Path(f"/proc/{process.pid}/io").read_text().split()[1])
        except OSError:
            read = len(big)
        if begun() and read < len(big) / 2:
            return process
        process.kill()
        process.communicate()
        return None

    def test_ctrl_c_while_data_is_read(self):
        for people in (2_000_000, 8_000_000, 32_000_000):  # where the first are read before this test gets its turn
            process = self.reading(people)
            if process is not None:
                break
        self.assertIsNotNone(process, "it never read long enough to be stopped")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 130, out + err)
        self.assertIn("nothing was charged", err)
        self.assertEqual(self.spent(), 0)
        self.assertEqual([p.name for p in (self.folder / ".kith").glob("*.duckdb")] if (self.folder / ".kith").exists() else [], [])


if __name__ == "__main__":
    unittest.main()
