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
from server_case import PAIRS as PAIRS_POLICY, PLACES as PLACES_POLICY, STREAM, Server  # noqa: E402

SPACE, FLOW, PLACES, PAIRS, SIDED = ("/v1/datasets/" + name + "/" for name in ("policy", "flow", "places", "pairs", "sided"))
STEPS = "SELECT count(*) AS n FROM t"
SIDED_POLICY = POLICY.replace("people.ledger", "sided.ledger").replace("epsilon = 1.0", "epsilon = 100.0") + """
[one_sided]
accept = "unbounded"
[[one_sided.attribute]]
name = "age"
columns = ["age"]
sensitive = "ill = 'yes'"
epsilon = 2.0
"""
BY_WARD = "SELECT ward, count(*) AS n, avg(age) AS a FROM people GROUP BY ward ORDER BY n DESC"
TOUR = [
    ("GET", "/v1/datasets", None), ("GET", "/v1/datasets/policy", None),
    ("POST", SPACE + "explain", {"question": BY_WARD, "epsilon": 1}), ("POST", SPACE + "explain", {"question": ILL, "error": 20}),
    ("POST", SPACE + "release", {"question": ILL, "epsilon": 1}), ("POST", SPACE + "release", {"question": ILL, "epsilon": 1}),
    ("POST", SPACE + "release", {"question": BY_WARD, "epsilon": 1}), ("POST", SPACE + "release", {"question": "SELECT max(age) FROM people", "epsilon": 1}),
    ("POST", SPACE + "release", {"question": "SELECT median(age) AS m FROM people", "epsilon": 1, "intervals": False}),
    ("POST", SPACE + "release", {"question": "SELECT count(*) FROM people WHERE age / 0 > 1", "epsilon": 1}),
    ("POST", SPACE + "release", {"question": "SELECT avg(sqrt(age - 60)) FROM people", "epsilon": 1}), ("POST", SPACE + "release", {"question": ILL, "epsilon": 500}),
    ("POST", SPACE + "plan/explain", {"questions": ILL + ";" + BY_WARD + ";", "epsilon": 1}), ("POST", SPACE + "plan/release", {"questions": ILL + ";", "epsilon": 2}),
    ("POST", SPACE + "analyses/explain", {"analysis": "percentiles", "epsilon": 1, "options": {"column": "age"}}),
    ("POST", SPACE + "analyses", {"analysis": "kmeans", "epsilon": 1, "options": {"columns": ["age"], "clusters": 2}}), ("JOB", None, None),
    ("POST", SPACE + "analyses", {"analysis": "percentiles", "epsilon": 1, "options": {"column": "age"}}), ("JOB", None, None),
    ("POST", SPACE + "analyses", {"analysis": "cumulative", "epsilon": 1, "options": {"column": "age", "cells": 12}}), ("JOB", None, None),
    ("GET", SPACE + "budget", None), ("GET", SPACE + "history?limit=3", None), ("GET", SPACE + "history?order=newest&limit=2", None), ("GET", "/v1/ready", None), ("GET", "/v1/jobs", None),
    ("GET", SPACE + "history/1", None), ("GET", SPACE + "history/4", None), ("GET", SPACE + "history/99", None), ("GET", SPACE + "dependence?plain=0.5,2", None),
    ("GET", SPACE + "approvals", None),
    ("POST", SPACE + "analyses", {"analysis": "identity", "epsilon": 1, "options": {"columns": ["age"], "units": [0, 9]}}), ("JOB", None, None),
    *[step for rule, ticks in (("uniform", "0..5"), ("ba", "0..5"), ("bd", "0..3"), ("slack", "1,4"), ("uniform", "2"), ("uniform", "0..9:3"))
      for step in [("POST", FLOW + "streams/explain", {"statistic": STEPS, "epsilon": 2, "rule": rule}),
                   ("POST", FLOW + "streams", {"statistic": STEPS, "epsilon": 2, "rule": rule, "steps": ticks}), ("JOB", None, None)]],
    ("POST", FLOW + "streams", {"statistic": "MAP OF x, y ON 8 CELLS", "epsilon": 1, "steps": "0..2"}), ("JOB", None, None),
    ("POST", FLOW + "streams", {"statistic": "SELECT avg(x) FROM t", "epsilon": 1, "steps": "0"}), ("POST", FLOW + "streams", {"statistic": STEPS, "epsilon": 900, "steps": "0"}),
    *[step for options in ({"columns": ["x", "y"], "cells": 8}, {"columns": ["x"], "quantiles": [0.5]}, {"columns": ["x", "y"]}, {"columns": ["x"], "where": "y / 0 > 1"})
      for step in [("POST", PLACES + "analyses/explain", {"analysis": "points", "epsilon": 1, "options": options}),
                   ("POST", PLACES + "analyses", {"analysis": "points", "epsilon": 1, "options": options}), ("JOB", None, None)]],
    *[step for options in ({"ends": ["a", "b"], "max_degree": 5}, {"ends": ["a", "b"], "max_degree": 3, "once": True, "people": 40, "where": "a < 9"})
      for step in [("POST", PAIRS + "analyses", {"analysis": "degrees", "epsilon": 1, "options": options}), ("JOB", None, None)]],
    *[step for options in ({"by": "ill"}, {"by": "ill", "method": "dawaz", "noisy_epsilon": 0.5})
      for step in [("POST", SIDED + "analyses/explain", {"analysis": "histogram", "epsilon": 0.5, "options": {"one_sided": True, **options}}),
                   ("POST", SIDED + "analyses", {"analysis": "histogram", "epsilon": 0.5, "options": {"one_sided": True, **options}}), ("JOB", None, None)]],
    ("POST", SIDED + "analyses", {"analysis": "histogram", "epsilon": 5, "options": {"one_sided": True, "by": "ill"}}), ("JOB", None, None),
    *[("GET", f"/v1/datasets/{name}/{what}", None) for name in ("flow", "places", "pairs", "sided") for what in ("budget", "history?limit=9")], ("GET", "/v1/me", None),
]
# What an analyst can call and no dataset is asked by; jobs are looked at by JOB, and stopping one is a matter of time.
WITHOUT_DATA = {"transfer", "compare_noise", "cancel_job", "job", "job_events"}


FLOWS = {"ordinary": lambda i: f"{i // 8},A,0.{i % 10},0.{i % 7}", "neighbour": lambda i: "3,B,0.5,0.5" if i == 5 else f"{i // 8},A,0.{i % 10},0.{i % 7}",
         "hostile": lambda i: ["1e9,C,9,-9", "-4,',nan,0", "x,A,y,z", ",,,"][i % 4], "old": lambda i: "2,B,1,1", "empty": lambda i: ""}
FRIENDS = {"ordinary": lambda i: f"{i},{(i * 7 + 1) % 40}", "neighbour": lambda i: "1,1" if i == 5 else f"{i},{(i * 7 + 1) % 40}", "hostile": lambda i: ["1e9,9", "x,y", ",", "1,1"][i % 4],
           "old": lambda i: "1,2", "empty": lambda i: ","}


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
            begun = json.loads(text)
            job, text = begun["id"], json.dumps([begun["dataset"], begun["what"]])  # the rest: whether it has begun, or ended, when this is sent
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
            (folder / "t.csv").write_text("id,at,ward,x,y\n" + "".join(f"{i},{rows(i)}\n" for i, rows in enumerate([FLOWS[name]] * (0 if name == "empty" else 90))))
            (folder / "friends.csv").write_text("a,b\n" + "".join(f"{ends(i)}\n" for i, ends in enumerate([FRIENDS[name]] * 40)))
            for file, text in (("flow", STREAM), ("places", PLACES_POLICY), ("pairs", PAIRS_POLICY), ("sided", SIDED_POLICY)):
                (folder / f"{file}.toml").write_text(text)
            server = Server(folder, "policy.toml", "flow.toml", "places.toml", "pairs.toml", "sided.toml", "--quiet")
            got = seen(server)
            self.assertEqual(server.stop(), 0, server.log())
            first = first or got
            for before, now in zip(first, got):
                self.assertEqual(before, now, name)
        answered = [step[2] for step in first if step[0] == "POST"]
        self.assertGreaterEqual(answered.count(200) + answered.count(202), 40)  # it is answers that were compared
        results = re.findall(r'"state":"([a-z]+)"', " ".join(step[4] for step in first if len(step) == 5 and step[1].startswith("/v1/jobs/")))
        self.assertGreaterEqual(results.count("done"), 15, results)

    def test_every_route_of_an_analyst_is_compared(self):
        described = json.loads((pathlib.Path(__file__).parent.parent.parent / "docs" / "openapi.json").read_text())
        toured = {(method, re.sub(r"\?.*", "", path)) for method, path, _ in TOUR if path}
        for path, methods in described["paths"].items():
            shape = re.compile(re.sub(r"\{[a-z]+\}", "[^/]+", path) + "$")
            for method, operation in methods.items():
                if "analyst" in operation["x-roles"] and operation["operationId"] not in WITHOUT_DATA:
                    self.assertTrue(any(way == method.upper() and shape.match(here) for way, here in toured), f"{method} {path}")


if __name__ == "__main__":
    unittest.main()
