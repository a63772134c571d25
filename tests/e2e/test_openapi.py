"""docs/openapi.json is what the server says of itself, and every path of it answers as it says."""
import copy
import json
import pathlib
import unittest

import jsonschema

import documents
from kith_case import ILL, POLICY
from server_case import ServerCase, unlisted

FILE = pathlib.Path(__file__).parent.parent.parent / "docs" / "openapi.json"
ANALYSIS = {"analysis": "top", "epsilon": 1, "options": {"column": "ward", "count": 1}}
# A body for each operation that takes one.
BODIES = {"explain": {"question": ILL, "epsilon": 1}, "release": {"question": ILL, "epsilon": 1}, "explain_plan": {"questions": ILL + ";", "epsilon": 1},
          "release_plan": {"questions": ILL + ";", "epsilon": 2}, "explain_analysis": dict(ANALYSIS, analysis="percentiles", options={"column": "age"}),
          "analyse": dict(ANALYSIS, analysis="percentiles", options={"column": "age"}), "decide": {"granted": True}, "transfer": {"model": {"kind": "group", "size": 4, "odds_ratio": 2}, "plain": 0.25},
          "compare_noise": {"model": {"kind": "group", "size": 4, "odds_ratio": 2}, "dependent": 1}, "check_policy": {"policy": POLICY}, "log_in": {"name": "ada", "password": "of nobody"},
          "explain_stream": {"statistic": "SELECT count(*) AS n FROM people", "epsilon": 1}, "release_steps": {"statistic": "SELECT count(*) AS n FROM people", "epsilon": 1, "steps": "0..2"},
          "add_user": {"name": "ada", "role": "analyst", "grants": [{"dataset": "policy", "epsilon": 0.5}], "token": "laptop", "expires": "30d"}, "add_token": {"token": "laptop", "expires": "never"},
          "revoke": {"token": "laptop"}, "grant": {"dataset": "policy", "epsilon": 1}}
NO_STREAM = ("explain_stream", "release_steps")  # the policy describes none: refused, as it should be


def placed(path, dataset="policy", job="0" * 32):
    return path.replace("{dataset}", dataset).replace("{job}", job).replace("{approval}", "1").replace("{number}", "1").replace("{user}", "nobody")

# Options with which each of these analyses can be explained, for the ranges of others.
SAMPLES = {"cells": {"columns": ["ward", "ill"], "threshold": 5}, "cumulative": {"column": "age"}, "identity": {"columns": ["age"], "units": [1, 300]},
           "kmeans": {"columns": ["age"], "clusters": 2}, "logistic": {"label": "ill", "features": ["age"]}, "percentiles": {"column": "age"},
           "points": {"columns": ["x"]}, "svm": {"label": "ill", "features": ["age"]}, "synthetic": {"columns": ["ward", "ill"]}, "top": {"column": "ill", "count": 1}}

# For the methods of points that need to know how far somebody moves.
MOVES = """
[data]
tables.t = "moves.csv"
[unit]
table = "t"
row = true
presence = "public"
distance = { columns = ["x"], metric = "l1", delta = 100 }
[columns.t]
x = { lower = 0, upper = 1000, required = true }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 100
ledger = "moves.ledger"
"""


known = {}  # validators by their schema: to make one takes longer than to use it


def whole(schema, described):
    """The schema with everything that it refers to: one document, as validators want it."""
    key = json.dumps([schema, described["components"]])
    if key not in known:
        known[key] = joined(schema, described)
    return known[key]


def joined(schema, described):
    schemas = {**documents.whole()["$defs"], **{f"openapi_{name}": each for name, each in described["components"]["schemas"].items()}}
    text = json.dumps({"schema": schema, "$defs": schemas})
    text = text.replace("schema/kith.schema.json#/$defs/", "#/$defs/").replace("#/components/schemas/", "#/$defs/openapi_")
    made = json.loads(text)
    return jsonschema.Draft202012Validator({"$ref": "#/schema", **made})


class OpenApi(ServerCase):
    def setUp(self):
        super().setUp()
        self.budget_of(100)
        self.server = self.serve()
        self.described = json.loads(FILE.read_text())

    def operations(self):
        for path, methods in self.described["paths"].items():
            for method, operation in methods.items():
                yield path, method.upper(), operation

    def job(self):
        """One that has ended."""
        found = self.document(self.server.request("POST", "/v1/datasets/policy/analyses", BODIES["analyse"]), 202)["id"]
        self.server.request("GET", f"/v1/jobs/{found}/events")
        return found

    def fits(self, operation, answer, method, path):
        status, headers, text = answer
        described = operation["responses"].get(str(status))
        if described and "$ref" in described:
            described = self.described["components"]["responses"][described["$ref"].rsplit("/", 1)[1]]
        self.assertIsNotNone(described, f"{method} {path} answered {status}, which is not described: {text[:300]}")
        kind = headers["Content-Type"].split(";")[0]
        self.assertIn(kind, described["content"], f"{method} {path}")
        schema = described["content"][kind].get("schema")
        if schema:
            faults = [error.message[:300] for error in whole(schema, self.described).iter_errors(json.loads(text))]
            self.assertEqual(faults, [], f"{method} {path}")

    def test_the_file_is_the_servers(self):
        served = self.server.request("GET", "/v1/openapi.json")[2]
        self.assertEqual(served, FILE.read_text(), "write docs/openapi.json anew: GET /v1/openapi.json")
        for name, schema in self.described["components"]["schemas"].items():
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertTrue(name)

    def test_every_operation_answers_as_described(self):
        job = self.job()
        tried = 0
        for path, method, operation in self.operations():
            body = BODIES.get(operation["operationId"])
            self.assertEqual(body is not None, "requestBody" in operation, operation["operationId"])
            here = placed(path, job=job)
            if body is not None:
                faults = list(whole(operation["requestBody"]["content"]["application/json"]["schema"], self.described).iter_errors(body))
                self.assertEqual(faults, [], operation["operationId"])
            answer = self.server.request(method, here, body)
            expected = (200, 202) if not operation["x-roles"] or "analyst" in operation["x-roles"] else (403,)
            if operation["operationId"] == "log_in":
                expected = (400,)  # there are no users
            if operation["operationId"] in NO_STREAM:
                expected = (400,)
            self.assertIn(answer[0], expected, f"{method} {path}: {answer[2][:300]}")
            self.fits(operation, answer, method, path)
            # What is wrong with a request is also described.
            if body is not None:
                for wrong in ({}, dict(body, unknown=1), {name: [[]] for name in body}):
                    refused = self.server.request(method, here, wrong)
                    self.assertEqual(refused[0], 400 if answer[0] != 403 else 403, f"{method} {path}")
                    self.fits(operation, refused, method, path)
                self.fits(operation, self.server.request(method, here, json.dumps(body), {"Content-Type": "text/plain"}), method, path)
            if "{" in path:
                missing = self.server.request(method, placed(path, "nothing"), body)
                self.assertIn(missing[0], (404, 403), f"{method} {path}")
                self.fits(operation, missing, method, path)
            tried += 1
        self.assertGreaterEqual(tried, 20)

    def explained(self, analysis, options):
        """The status, and whether the description agrees."""
        body = {"analysis": analysis, "epsilon": 1, "options": options}
        path = f"/v1/datasets/{'moves' if analysis == 'points' else 'policy'}/analyses/explain"
        described = not list(whole({"$ref": "#/components/schemas/Analysis"}, self.described).iter_errors(body))
        return self.server.request("POST", path, body)[0], described

    def test_ranges_of_options_are_those_that_analyses_have(self):
        self.server.stop()
        self.write("moves.toml", MOVES)
        self.write("moves.csv", "x\n" + "5\n" * 20)
        self.server = self.serve("policy.toml", "moves.toml")
        tried = 0
        for schema in self.described["components"]["schemas"]["Analysis"]["oneOf"]:
            name, options = schema["properties"]["analysis"]["const"], schema["properties"]["options"]["properties"]
            for key, option in options.items() if name in SAMPLES else ():
                sample = {**SAMPLES[name], **({"method": "groups", "groups": 4} if key == "groups" else {})}
                self.assertEqual(self.explained(name, sample), (200, True), name)
                beyond = [option["maximum"] * 2] if "maximum" in option else []
                beyond += [option["minimum"] - 1] if option.get("minimum", 0) > 0 else []
                # No column here has as many values as could be named.
                for value in [option[end] for end in ("minimum", "maximum") if option.get(end, 0) > 0 and (name, key, end) != ("top", "count", "maximum")]:
                    self.assertEqual(self.explained(name, {**sample, key: value}), (200, True), f"{name} {key} {value}")
                for value in beyond:
                    self.assertEqual(self.explained(name, {**sample, key: value}), (400, False), f"{name} {key} {value}")
                    tried += 1
        self.assertGreaterEqual(tried, 18)

    def test_no_role_does_what_it_may_not(self):
        tokens = self.users()
        self.server.stop()
        self.server = self.serve("policy.toml", "--state", "state")
        for path, method, operation in self.operations():
            here = placed(path)
            body = BODIES.get(operation["operationId"])
            roles = operation["x-roles"]
            # Not both for all: they need not be tried everywhere.
            for headers in ({}, {"Authorization": "Bearer"})[:2 if operation["operationId"] == "release" else 1] if roles else ():
                nobody = self.server.request(method, here, body, headers)
                self.assertEqual(nobody[0], 401, f"{method} {path}")
                self.assertEqual(nobody[1]["WWW-Authenticate"], "Bearer")
                self.fits(operation, nobody, method, path)
            for role, token in tokens.items():
                answer = self.server.request(method, here, body, token=token)
                allowed = not roles or role in roles
                if operation["operationId"] == "log_in":
                    self.assertEqual(answer[0], 401)  # no matter who: a token is not a password
                    self.fits(operation, answer, method, path)
                    continue
                wanted = (403,) if not allowed else (404,) if "{job}" in path or "{approval}" in path or "{user}" in path else (200, 202)
                if allowed and operation["operationId"] in NO_STREAM:
                    wanted = (400,)
                if allowed and "{number}" in path:  # there is an answer by now, or the job that gives one has not ended
                    wanted = (200, 404)
                self.assertIn(answer[0], wanted, f"{method} {path} as {role}: {answer[2][:200]}")
                self.fits(operation, answer, method, path)
                if not allowed and "{dataset}" in path:  # nor does it learn what there is
                    self.assertEqual(self.server.request(method, placed(path, "nothing"), body, token=token)[2], answer[2])
        self.assertEqual(self.server.stop(), 0)
        self.assertNotIn(tokens["analyst"], self.server.log())

    def test_every_status_is_listed_and_the_check_sees_one_that_is_not(self):
        """`Server.request` and `Server.raw` look at every answer of all end-to-end tests."""
        for path, method, operation in self.operations():
            here = placed(path)
            for status in operation["responses"]:
                self.assertIsNone(unlisted(method, here, int(status)))
            for status in (204, 302, 418, 502):
                self.assertIn(f"answers {status}", unlisted(method, here + "?a=b", status))
        self.assertIn("answers 401", unlisted("HEAD", "/v1/health", 401))
        poorer = copy.deepcopy(self.described)
        del poorer["paths"]["/v1/health"]["get"]["responses"]["421"]
        answer = self.server.request("GET", "/v1/health", headers={"Host": "evil.example"})
        self.assertEqual(answer[0], 421)
        self.assertIn("answers 421", unlisted("GET", "/v1/health", answer[0], poorer))

    def test_only_described_methods_are_answered(self):
        for path, methods in copy.deepcopy(self.described["paths"]).items():
            here = placed(path)
            for method in ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE"):
                if method.lower() not in methods and not (method == "HEAD" and "get" in methods):
                    self.assertEqual(self.server.request(method, here)[0], 405, f"{method} {path}")


if __name__ == "__main__":
    unittest.main()
