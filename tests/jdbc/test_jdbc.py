"""PostgreSQL's JDBC driver against kith serve --pg (./setup jdbc; ctest -C jdbc -L jdbc)."""
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from pg_case import PgCase  # noqa: E402

DRIVER = "/usr/share/java/postgresql.jar"


class Jdbc(PgCase):
    def test_a_session(self):
        self.quick_policy()
        server = self.serve_pg()
        done = subprocess.run(["java", "-cp", DRIVER, str(HERE / "Session.java"), f"jdbc:postgresql://127.0.0.1:{server.pg}/policy"], text=True, capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "PostgreSQL 15")
        for line in ("catalogs policy ", "public ", "tables people TABLE ", "ward text NO ", "ill text YES ", "ward int8 n_error_95", "notice true", "described 3", "fetched 3", "refused 0A000"):
            self.assertIn(line, lines)
        self.assertEqual(len({line for line in lines if line.startswith("answer ")}), 1)  # one charge, however often
        history = self.document(server.request("GET", "/v1/datasets/policy/history"))["history"]
        self.assertEqual(len(history), 2)


if __name__ == "__main__":
    unittest.main()
