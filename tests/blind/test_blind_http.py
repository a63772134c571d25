"""The blind test over HTTP: the same requests to servers with different data get the same bytes, once noise is taken away."""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ.get("KITH", "build/kith")).resolve().parent
os.environ["KITH"] = str(BUILD / "tests" / "blind" / "kith_blind")
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from kith_case import ILL, POLICY  # noqa: E402
from server_case import Server  # noqa: E402

SPACE = "/v1/datasets/policy/"
BY_WARD = "SELECT ward, count(*) AS n, avg(age) AS a FROM people GROUP BY ward ORDER BY n DESC"
TOUR = [
    ("GET", "/v1/datasets", None), ("GET", "/v1/datasets/policy", None),
    ("POST", SPACE + "explain", {"question": BY_WARD, "epsilon": 1}), ("POST", SPACE + "explain", {"question": ILL, "error": 20}),
    ("POST", SPACE + "release", {"question": ILL, "epsilon": 1}), ("POST", SPACE + "release", {"question": ILL, "epsilon": 1}),
    ("POST", SPACE + "release", {"question": BY_WARD, "epsilon": 1}), ("POST", SPACE + "release", {"question": "SELECT max(age) FROM people", "epsilon": 1}),
    ("POST", SPACE + "release", {"question": "SELECT count(*) FROM people WHERE age / 0 > 1", "epsilon": 1}),
    ("POST", SPACE + "release", {"question": "SELECT avg(sqrt(age - 60)) FROM people", "epsilon": 1}), ("POST", SPACE + "release", {"question": ILL, "epsilon": 500}),
    ("POST", SPACE + "plan/explain", {"questions": ILL + ";" + BY_WARD + ";", "epsilon": 1}), ("POST", SPACE + "plan/release", {"questions": ILL + ";", "epsilon": 2}),
    ("POST", SPACE + "analyses/explain", {"analysis": "percentiles", "epsilon": 1, "options": {"column": "age"}}),
    ("POST", SPACE + "analyses", {"analysis": "kmeans", "epsilon": 1, "options": {"columns": ["age"], "clusters": 2}}), ("JOB", None, None),
    ("POST", SPACE + "analyses", {"analysis": "percentiles", "epsilon": 1, "options": {"column": "age"}}), ("JOB", None, None),
    ("GET", SPACE + "budget", None), ("GET", SPACE + "history?limit=3", None), ("GET", "/v1/jobs", None),
    ("GET", SPACE + "history/1", None), ("GET", SPACE + "history/4", None), ("GET", SPACE + "history/99", None), ("GET", SPACE + "dependence?plain=0.5,2", None),
]


def seen(server):
    """Everything that an analyst gets, request by request. A job's seconds are left out: time is no part of this test."""
    everything, job = [], None
    for method, path, body in TOUR:
        if method == "JOB":
            events = server.request("GET", f"/v1/jobs/{job}/events")[2]
            everything.append(sorted(set(re.findall(r"event: (end)", events))))
            method, path = "GET", f"/v1/jobs/{job}"
        status, headers, text = server.request(method, path, body)
        if status == 202:
            job = json.loads(text)["id"]
            text = re.sub(r'"(stage|state)":"[^"]*"', "", text)  # whether it has begun when this is sent
        everything.append((method, path, status, sorted(name for name, _ in headers.items()), re.sub(r'"seconds":\d+', "", text)))
    return everything


class BlindHttp(unittest.TestCase):
    def test_other_data_same_bytes(self):
        people = [(i, i // 3, "ABC"[i % 3]) for i in range(300)]
        tables = {"ordinary": lambda i: f"{20 + i % 60},{'yes' if i % 7 == 0 else 'no'}", "neighbour": lambda i: f"{99 if i == 5 else 20 + i % 60},{'yes' if i % 7 == 0 else 'no'}",
                  "empty": lambda i: ",", "hostile": lambda i: ["1e999,'", "-7,YES", "abc,nan", "0x10,yes"][i % 4], "old": lambda i: "120,yes"}
        first = None
        for name, secrets in tables.items():
            folder = pathlib.Path(tempfile.mkdtemp())
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            (folder / "people.csv").write_text("id,house,ward,age,ill\n" + "".join(f"{i},{house},{ward},{secrets(i)}\n" for i, house, ward in people))
            (folder / "policy.toml").write_text(POLICY.replace("epsilon = 1.0", "epsilon = 100.0"))
            server = Server(folder, "policy.toml", "--quiet")
            got = seen(server)
            self.assertEqual(server.stop(), 0, server.log())
            first = first or got
            for before, now in zip(first, got):
                self.assertEqual(before, now, name)
        answered = [step[2] for step in first if step[0] == "POST"]
        self.assertGreaterEqual(answered.count(200) + answered.count(202), 10)  # it is answers that were compared


if __name__ == "__main__":
    unittest.main()
