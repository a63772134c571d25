"""kith serve: what it answers, and that it answers nothing else."""
import json
import os
import select
import socket
import subprocess
import threading
import time
import unittest

import documents
from kith_case import ILL
from server_case import ServerCase, everything, together, younger

SPACE = "/v1/datasets/policy/"


class Answers(ServerCase):
    def test_the_same_documents_as_on_the_command_line(self):
        server = self.serve()
        self.assertEqual(self.document(server.request("GET", "/v1/health"))["status"], "ok")
        names = [each["name"] for each in self.document(server.request("GET", "/v1/datasets"))["datasets"]]
        self.assertEqual(names, ["policy"])
        for path, body, *command in [
                ("explain", {"question": ILL, "epsilon": 0.1}, "explain", "policy.toml", ILL, "--epsilon", "0.1", "--json"),
                ("explain", {"question": ILL, "error": 40}, "explain", "policy.toml", ILL, "--error", "40", "--json")]:
            over_http = server.request("POST", SPACE + path, body)[2]
            self.assertEqual(over_http, self.run_kith(*command).stdout)
        self.assertEqual(server.request("GET", "/v1/datasets/policy")[2], self.run_kith("columns", "policy.toml", "--json").stdout)
        first = self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}))
        self.assertEqual(documents.faults(first, ["answer"]), [])
        again = self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}))
        self.assertEqual((again["answer"], again["stored"]), (first["answer"], True))
        # The command line pays from the same account, and is given the same answer.
        self.assertEqual(self.json(self.ask(ILL, "--epsilon", "0.1", "--json")), again)
        budget = self.document(server.request("GET", SPACE + "budget"))
        self.assertEqual(documents.faults(budget, ["budget"]), [])
        whole = self.json(self.run_kith("budget", "policy.toml", "--json"))
        self.assertNotIn("history", budget)  # it has pages of its own
        self.assertEqual(dict(budget, history=self.document(server.request("GET", SPACE + "history"))["history"]), whole)
        self.assertEqual(server.stop(), 0)

    def test_refusals_have_the_codes_of_the_table_and_cost_nothing(self):
        server = self.serve()
        for body, status, code in [({"question": "SELECT ill FROM people", "epsilon": 0.1}, 422, "unsupported_query"),
                                   ({"question": ILL}, 400, "invalid_argument"), ({"question": ILL, "epsilon": 5}, 403, "budget_exhausted"),
                                   ({"question": ILL, "epsilon": "0.1"}, 400, "invalid_argument"), ({"question": ILL, "epslion": 0.1}, 400, "invalid_argument"),
                                   ({"question": 7, "epsilon": 0.1}, 400, "invalid_argument"), ({"question": ILL, "epsilon": 0.1, "error": 9}, 400, "invalid_argument")]:
            refused = self.document(server.request("POST", SPACE + "release", body), status)
            self.assertEqual(refused["error"]["code"], code)
            self.assertEqual(documents.faults(refused, ["error"]), [])
        self.assertEqual(self.document(server.request("GET", SPACE + "history"))["history"], [])

    def test_a_lost_ledger_is_an_error_without_places(self):
        server = self.serve()
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}))
        server.stop()
        for file in self.folder.glob("people.ledger*"):
            file.unlink()
        lost = self.serve().request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1})
        self.assertEqual(self.document(lost, 503)["error"]["code"], "storage")
        self.assertNotIn(str(self.folder), lost[2])

    def test_plans_analyses_and_jobs(self):
        self.budget_of(50)
        server = self.serve()
        plan = {"questions": f"{ILL};\n{younger(30)};", "epsilon": 1}
        self.assertIn("plan", self.document(server.request("POST", SPACE + "plan/explain", plan))["details"])
        self.assertIn("plan", self.document(server.request("POST", SPACE + "plan/release", plan))["details"])
        wanted = {"analysis": "percentiles", "epsilon": 5, "options": {"column": "age", "ranks": [0.5]}}
        self.assertEqual(documents.faults(self.document(server.request("POST", SPACE + "analyses/explain", wanted)), ["explanation"]), [])
        answer = server.request("POST", SPACE + "analyses", wanted)
        job = self.document(answer, 202)
        self.assertEqual(answer[1]["Location"], "/v1/jobs/" + job["id"])
        events = server.request("GET", f"/v1/jobs/{job['id']}/events")
        self.assertEqual(events[1]["Content-Type"], "text/event-stream")
        self.assertIn("event: end\n", events[2])
        self.assertNotIn("answer", events[2])
        done = self.document(server.request("GET", "/v1/jobs/" + job["id"]))
        self.assertEqual((done["state"], done["status"]), ("done", 200))
        self.assertEqual(documents.faults(done["result"], ["answer"]), [])
        later = self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 1}, {"Prefer": "respond-async"}), 202)
        server.request("GET", f"/v1/jobs/{later['id']}/events")
        self.assertEqual(documents.faults(self.document(server.request("GET", "/v1/jobs/" + later["id"]))["result"], ["answer"]), [])
        self.assertEqual([each["id"] for each in self.document(server.request("GET", "/v1/jobs"))["jobs"]], [later["id"], job["id"]])
        self.assertEqual(self.document(server.request("DELETE", "/v1/jobs/" + job["id"]))["state"], "done")
        self.document(server.request("GET", "/v1/jobs/" + "0" * 32), 404)
        wrong = dict(wanted, options={"column": "age", "rank": [0.5]})
        self.assertEqual(self.document(server.request("POST", SPACE + "analyses", wrong), 400)["error"]["code"], "invalid_argument")

    def test_pages_of_the_history(self):
        self.budget_of(50)
        server = self.serve()
        for age in (30, 40, 50):
            self.document(server.request("POST", SPACE + "release", {"question": younger(age), "epsilon": 1}))
        first = self.document(server.request("GET", SPACE + "history?limit=2"))
        self.assertEqual(([line["number"] for line in first["history"]], first["more"]), ([1, 2], True))
        second = self.document(server.request("GET", SPACE + "history?after=2&limit=2"))
        self.assertEqual(([line["number"] for line in second["history"]], second["more"]), ([3], False))
        self.document(server.request("GET", SPACE + "history?after=x"), 400)
        last = self.document(server.request("GET", SPACE + f"history?after={2**63 - 1}"))
        self.assertEqual((last["history"], last["more"]), ([], False))
        self.document(server.request("GET", SPACE + "history?limit=0"), 400)  # such pages never end
        found, after = [], 0
        while after != 1:
            page = self.document(server.request("GET", SPACE + f"history?order=newest&after={after}&limit=2"))
            numbers = [line["number"] for line in page["history"]]
            self.assertEqual(page["more"], numbers[-1] > 1)
            found.append(numbers)
            after = numbers[-1]
        self.assertEqual(found, [[3, 2], [1]])
        for path, numbers in (("order=oldest", [1, 2, 3]), ("order=newest", [3, 2, 1]), ("order=newest&after=1", []), (f"order=newest&after={2**63 - 1}", [3, 2, 1])):
            page = self.document(server.request("GET", SPACE + "history?" + path))
            self.assertEqual(([line["number"] for line in page["history"]], page["more"]), (numbers, False), path)
        self.document(server.request("GET", SPACE + "history?order=random"), 400)

    def test_transfer_functions_and_no_files(self):
        server = self.serve()
        model = {"kind": "group", "size": 4, "odds_ratio": 2}
        self.write("model.json", json.dumps(model))
        over_http = server.request("POST", "/v1/transfer", {"model": model, "plain": 0.25})[2]
        self.assertEqual(over_http, self.run_kith("transfer", "model.json", "--plain", "0.25", "--json").stdout)
        self.write("edges.csv", "1,2\n")
        self.document(server.request("POST", "/v1/transfer", {"model": {"kind": "field", "nodes": 3, "edges": "edges.csv"}, "plain": 0.25}), 400)
        self.document(server.request("POST", "/v1/transfer", {"model": model}), 400)

    def test_the_log_names_routes_and_no_questions(self):
        server = self.serve()
        server.request("POST", SPACE + "release", {"question": "SELECT count(*) FROM people WHERE ward = 'secretive'", "epsilon": 0.1})
        server.request("GET", "/v1/secretive/place?of=secretive")
        server.request("SECRETIVE", "/v1/health")
        self.assertEqual(server.stop(), 0)
        self.assertRegex(server.log(), r"POST /v1/datasets/\{dataset\}/release 200 \d+ms -\n")
        self.assertNotIn("secretive", server.log().lower())
        self.assertIn("no users", server.log())

    def test_it_listens_to_this_machine_alone(self):
        self.refused(self.run_kith("serve", "policy.toml", "--listen", "0.0.0.0:0"), 2, "other machines")
        self.refused(self.run_kith("serve", "policy.toml", "--listen", "somewhere"), 2, "127.0.0.1:8400")
        self.refused(self.run_kith("serve", "policy.toml", "policy.toml", "--listen", "127.0.0.1:0"), 2, "two policies")

    def test_what_a_page_of_another_site_may_not_do(self):
        server = self.serve()
        body = {"question": ILL, "epsilon": 0.1}
        for headers, status in [({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example"}, 421), ({"Content-Type": "text/plain"}, 415),
                                ({"Origin": "null"}, 403), ({"Origin": f"http://127.0.0.1:{server.port}"}, 200), ({"Host": "localhost"}, 200)]:
            self.assertEqual(server.request("POST", SPACE + "release", body, headers)[0], status, headers)
        self.assertEqual(server.request("OPTIONS", SPACE + "release")[0], 405)


class Abuse(ServerCase):
    def alive(self, server):
        self.assertEqual(server.request("GET", "/v1/health")[0], 200)

    def test_bytes_that_are_no_request(self):
        server = self.serve()
        post = b"POST " + SPACE.encode() + b"explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        two = json.dumps({"question": ILL, "epsilon": 0.1}).encode()
        chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(two), two)
        for what, data, status in [
                ("two lengths", post + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}  ", b"400"),
                ("the same length twice", post + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", b"400"),
                ("length and coding", post + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk, b"400"),
                ("coding and length", post + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n" + chunk, b"400"),
                ("another coding", post + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunk, b"400"),
                ("coding twice", post + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk, b"400"),
                ("a blank before the colon", post + b"Content-Length : 2\r\n\r\n{}", b"400"),
                ("a negative length", post + b"Content-Length: -1\r\n\r\n", b"400"),
                ("a signed length", post + b"Content-Length: +2\r\n\r\n{}", b"400"),
                ("bare line feeds in the head", b"GET /v1/health HTTP/1.1\nHost: localhost\n\n", b"400"),
                ("a null in the head", b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n", b"400"),
                ("no host", b"GET /v1/health HTTP/1.1\r\n\r\n", b"400"),
                ("two hosts", b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", b"400"),
                ("a whole address", b"GET http://localhost/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"400"),
                ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"400"), ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n", b"400"),
                ("a chunk of a wrong size", post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", b"400"),
                ("a chunk of an endless size", post + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", b"4"),
                ("many headers", b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X%d: y\r\n" % k for k in range(200)) + b"\r\n", b"431"),
                ("a long header", b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 40000 + b"\r\n\r\n", b"431"),
                ("a long address", b"GET /v1/" + b"x" * 4000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"414"),
                ("a long body", post + b"Content-Length: 5000000\r\n\r\n" + b" " * 100, b"413")]:
            got = server.raw(data)
            self.assertTrue(got.startswith(b"HTTP/1.1 " + status), (what, got[:200]))
            self.assertEqual(got.count(b"HTTP/1.1 "), 1, what)  # nothing that followed was taken for a request
            self.assertIn(b"Connection: close", got, what)
            self.assertEqual(documents.faults(json.loads(got.split(b"\r\n\r\n", 1)[1]), ["error"]), [], what)
        good = server.raw(post + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunk)
        self.assertTrue(good.startswith(b"HTTP/1.1 200"), good[:200])
        self.alive(server)

    def test_paths_and_texts_that_lead_nowhere(self):
        server = self.serve()
        for path in ["/v1", "/v1/", "/v2/health", "/v1/../v1/health", "/v1/./health", "//v1/health", "/v1/health/", "/v1/%68ealth", "/v1/datasets/../health",
                     "/v1/datasets/..%2f..%2fetc%2fpasswd", "/v1/datasets/policy.toml", "/v1/datasets/%00", "/v1/datasets/policy%00", "/v1/datasets/policy%2fbudget", "/v1/datasets/polic%79%", "/v1/datasets/%ff", "/v1/datasets/%2570olicy", "/v1/datasets/policy%0d%0aX: y".replace(" ", "%20"), "/v1/jobs/../datasets", "/etc/passwd", "/v1/datasets//explain"]:
            status, _, text = server.request("GET", path)
            self.assertEqual(status, 404, path)
            self.assertNotIn("passwd", text)
        for body in [b'{"question": "\xff\xfe", "epsilon": 0.1}', b'{"question": "SELECT \xc3", "epsilon": 0.1}', b"", b"[]", b"null", b'{"question"', b"[" * 100000,
                     b'{"question":' + b"[" * 1000 + b"]" * 1000 + b"}", b'{"question": "a\\u0000b", "epsilon": 0.1}', b'{"question": "x", "epsilon": 1e999}']:
            self.assertEqual(server.request("POST", SPACE + "release", body)[0], 400, body[:40])
        self.assertEqual(server.request("GET", "/v1/health", b"{}")[0], 400)
        self.alive(server)

    def test_an_endless_body_is_cut_off(self):
        server = self.serve()
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(b"POST " + SPACE.encode() + b"explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
            sent = 0
            try:
                for _ in range(2000):
                    connection.sendall(b"2000\r\n" + b" " * 8192 + b"\r\n")
                    sent += 8192
            except OSError:
                pass
            self.assertLess(sent, 12 << 20)  # what was on its way when the server stopped reading
            self.assertIn(b" 413 ", everything(connection)[:40] or b"HTTP/1.1 413 ")
        self.alive(server)

    def test_lines_between_chunks_and_after_them_have_an_end(self):
        server = self.serve()
        for begins, goes_on in ((b"5;a=", b"y" * 65536), (b"0\r\nX: ", b"y" * 65536), (b"0\r\n", b"X: yyyyyyyyyyyy\r\n" * 4096)):
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                connection.sendall(b"POST " + SPACE.encode() + b"explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + begins)
                sent = 0
                try:
                    while sent < 64 << 20:
                        connection.sendall(goes_on)
                        sent += len(goes_on)
                except OSError:
                    pass
                self.assertLess(sent, 12 << 20)
        self.alive(server)

    def test_a_model_of_many_records_is_refused_before_it_takes_memory(self):
        server = self.serve()
        for path, more in (("/v1/transfer", {"plain": 0.25}), ("/v1/transfer/compare", {"dependent": 1})):
            self.document(server.request("POST", path, {"model": {"kind": "field", "nodes": 4000000000, "edges": [[0, 1, 0.3]]}, **more}), 400)

    def test_long_computations_leave_threads_for_questions(self):
        server = self.serve()
        states = 60
        model = {"kind": "chain", "length": 10**6, "start": [1 / states] * states, "transition": [[1 / states] * states] * states}
        body = json.dumps({"model": model, "dependent": 1}).encode()
        head = b"POST /v1/transfer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        long = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(12)]
        for each in long:
            each.sendall(head + body)
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}))
        busy, _, _ = select.select(long, [], [], 20)
        self.assertIn(b" 503 ", busy[0].recv(20))
        for each in long:
            each.close()
        server.stop(kill=True)

    def test_slow_and_silent_clients_hold_nobody_up(self):
        server = self.serve("policy.toml", "--patience", "1")
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(320)]
        slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        for each in slow:
            each.sendall(b"GET /v1/health HTTP/1.1\r\nHost: loc")
        self.alive(server)
        late = time.monotonic()
        for each in slow:
            each.settimeout(20)
            self.assertIn(b" 408 ", everything(each)[:20])
        self.assertLess(time.monotonic() - late, 10)
        body = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        body.sendall(b"POST " + SPACE.encode() + b"explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{")
        self.assertIn(b" 408 ", everything(body)[:20])
        self.alive(server)
        for each in [*idle, *slow, body]:
            each.close()
        self.assertEqual(server.stop(), 0)

    def test_a_client_that_leaves_in_the_middle(self):
        self.budget_of(50)
        server = self.serve()
        body = json.dumps({"question": ILL, "epsilon": 1}).encode()
        head = b"POST %srelease HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (SPACE.encode(), len(body))
        for part in (head[:20], head, head + body[:10], head + body):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(part)
        self.alive(server)
        # Whether it was charged or not: the same question is answered now, and was charged at most once.
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 1}))
        self.assertLessEqual(len(self.document(server.request("GET", SPACE + "history"))["history"]), 2)


class People(ServerCase):
    def test_tokens_histories_and_allowances(self):
        self.budget_of(10)
        tokens = self.users(allowance=1)
        other = self.json(self.run_kith("user", "add", "other", "--role", "analyst", "--dataset", "policy", "--epsilon", "5", "--state", "state", "--json"))["token"]
        blind = self.json(self.run_kith("user", "add", "blind", "--role", "analyst", "--state", "state", "--json"))["token"]
        server = self.serve("policy.toml", "--state", "state")
        self.assertNotIn("no users", server.log())
        release = SPACE + "release"
        for wrong in ("", "x", "kith_", tokens["analyst"][:-1], tokens["analyst"] + "0", tokens["analyst"][:-1] + ("0" if tokens["analyst"][-1] != "0" else "1"), "é"):
            refused = server.request("POST", release, {"question": ILL, "epsilon": 0.5}, {"Authorization": f"Bearer {wrong}".encode()})
            self.assertEqual(refused[0], 401, wrong)
            self.assertEqual(self.document(refused, 401)["error"]["what"], self.document(server.request("POST", release, {"question": ILL}), 401)["error"]["what"])
        self.assertEqual(server.request("GET", "/v1/datasets", headers={"Authorization": "Basic " + tokens["analyst"]})[0], 401)
        first = self.document(server.request("POST", release, {"question": ILL, "epsilon": 0.5}, token=tokens["analyst"]))
        # The allowance is at its end; the budget is not, for somebody else.
        poor = self.document(server.request("POST", release, {"question": younger(30), "epsilon": 5}, token=tokens["analyst"]), 403)
        self.assertEqual(poor["error"]["code"], "budget_exhausted")
        self.document(server.request("POST", release, {"question": younger(30), "epsilon": 5}, token=other))
        # What was answered before is free for everybody who may see the dataset, and a sign that somebody asked.
        again = self.document(server.request("POST", release, {"question": ILL, "epsilon": 0.5}, token=other))
        self.assertEqual((again["stored"], again["answer"]), (True, first["answer"]))
        self.document(server.request("POST", release, {"question": ILL, "epsilon": 0.5}, token=blind), 404)
        self.assertEqual(self.document(server.request("GET", "/v1/datasets", token=blind))["datasets"], [])
        own = {name: [line["question"] for line in self.document(server.request("GET", SPACE + "history", token=token))["history"]]
               for name, token in [("analyst", tokens["analyst"]), ("other", other), ("auditor", tokens["auditor"]), ("curator", tokens["curator"])]}
        self.assertEqual([len(lines) for lines in own.values()], [1, 1, 2, 2])
        self.assertEqual(own["analyst"], [ILL])
        totals = [self.document(server.request("GET", SPACE + "budget", token=token))["epsilon_left"] for token in (tokens["analyst"], other, tokens["auditor"])]
        self.assertEqual(len(set(totals)), 1)
        self.assertIn("kith_requests_total", server.request("GET", "/v1/metrics", token=tokens["operator"])[2])
        # A job is its owner's.
        job = self.document(server.request("POST", SPACE + "analyses", {"analysis": "top", "epsilon": 0.1, "options": {"column": "ill", "count": 1}}, token=other), 202)["id"]
        for method, path in [("GET", ""), ("GET", "/events"), ("DELETE", "")]:
            self.assertEqual(server.request(method, f"/v1/jobs/{job}{path}", token=tokens["analyst"])[0], 404)
        self.assertEqual(self.document(server.request("GET", "/v1/jobs", token=tokens["curator"]))["jobs"], [])
        # Without the grant its job is nobody's.
        self.ok(self.run_kith("user", "grant", "other", "--dataset", "policy", "--none", "--state", "state"))
        self.document(server.request("GET", f"/v1/jobs/{job}", token=other), 404)
        self.assertEqual(self.document(server.request("GET", "/v1/jobs", token=other))["jobs"], [])
        # A token that is revoked is useless from then on.
        self.ok(self.run_kith("user", "revoke", "other", "--state", "state"))
        self.document(server.request("GET", "/v1/datasets", token=other), 401)
        self.assertEqual(server.stop(), 0)
        self.assertRegex(server.log(), r"/release 200 \d+ms an_analyst\n")
        for token in (*tokens.values(), other, blind):
            self.assertNotIn(token, server.log())

    def test_a_curator_approves_what_is_dear(self):
        self.budget_of(10)
        (self.folder / "policy.toml").write_text((self.folder / "policy.toml").read_text() + '[server]\napprove_above = 0.5\ntick = "0ms"\n')
        tokens = self.users()
        server = self.serve("policy.toml", "--state", "state")
        dear = {"question": ILL, "epsilon": 6}
        self.document(server.request("POST", SPACE + "release", {"question": younger(30), "epsilon": 0.1}, token=tokens["analyst"]))
        refused = self.document(server.request("POST", SPACE + "release", dear, token=tokens["analyst"]), 403)
        again = self.document(server.request("POST", SPACE + "release", dear, token=tokens["analyst"]), 403)
        self.assertEqual(refused, again)  # it waits once
        (waiting,) = self.document(server.request("GET", SPACE + "approvals", token=tokens["curator"]))["approvals"]
        number = waiting["id"]
        self.assertIn(f'"approval": {number}', refused["error"]["hint"])
        approved = dict(dear, approval=number)
        self.document(server.request("POST", SPACE + "release", approved, token=tokens["analyst"]), 403)
        self.document(server.request("POST", f"{SPACE}approvals/{number}", {"granted": True}, token=tokens["analyst"]), 403)
        self.document(server.request("POST", f"{SPACE}approvals/{number}", {"granted": True}, token=tokens["curator"]))
        self.document(server.request("POST", SPACE + "release", dict(approved, question=younger(40)), token=tokens["analyst"]), 403)
        self.assertFalse(self.document(server.request("POST", SPACE + "release", approved, token=tokens["analyst"]))["stored"])
        self.document(server.request("POST", SPACE + "release", approved, token=tokens["analyst"]), 403)  # it is used up
        self.assertTrue(self.document(server.request("POST", SPACE + "release", dear, token=tokens["analyst"]))["stored"])  # and no longer needed
        # What could not be paid for even then waits for nobody.
        beyond = self.document(server.request("POST", SPACE + "release", {"question": younger(50), "epsilon": 9}, token=tokens["analyst"]), 403)
        self.assertEqual(beyond["error"]["code"], "budget_exhausted")
        # An analysis waits as a question does.
        top = {"analysis": "top", "epsilon": 2, "options": {"column": "ill", "count": 1}}

        def analysed(token, **more):
            job = self.document(server.request("POST", SPACE + "analyses", dict(top, **more), token=token), 202)["id"]
            server.request("GET", f"/v1/jobs/{job}/events", token=token)
            return self.document(server.request("GET", f"/v1/jobs/{job}", token=token))["result"]

        self.assertIn("a curator decides", analysed(tokens["analyst"])["error"]["hint"])
        waiting = self.document(server.request("GET", SPACE + "approvals", token=tokens["curator"]))["approvals"]
        self.assertEqual(len(waiting), 1)
        self.assertEqual(json.loads(waiting[0]["request"]), top)
        number = waiting[0]["id"]
        self.document(server.request("POST", SPACE + f"approvals/{number}", {"granted": True}, token=tokens["curator"]))
        self.document(server.request("POST", SPACE + "analyses", dict(top, epsilon=2.5, approval=number), token=tokens["analyst"]), 403)
        self.assertFalse(analysed(tokens["analyst"], approval=number)["stored"])
        self.assertTrue(analysed(tokens["analyst"])["stored"])
        self.assertEqual(self.document(server.request("GET", SPACE + "approvals", token=tokens["curator"]))["approvals"], [])
        # What was approved is about the data of that moment.
        again = {"question": younger(51), "epsilon": 1}
        self.document(server.request("POST", SPACE + "release", again, token=tokens["analyst"]), 403)
        number = self.document(server.request("GET", SPACE + "approvals", token=tokens["curator"]))["approvals"][0]["id"]
        self.document(server.request("POST", SPACE + f"approvals/{number}", {"granted": True}, token=tokens["curator"]))
        self.document(server.request("POST", SPACE + "import", token=tokens["curator"]))
        before = self.document(server.request("GET", SPACE + "budget", token=tokens["curator"]))["ledger_hash"]
        late = self.document(server.request("POST", SPACE + "release", dict(again, approval=number), token=tokens["analyst"]), 403)
        self.assertIn("the data were replaced since this was approved; nothing was charged", late["error"]["what"])
        self.assertEqual(self.document(server.request("GET", SPACE + "budget", token=tokens["curator"]))["ledger_hash"], before)

    def test_without_users_nobody_approves(self):
        self.budget_of(10)
        (self.folder / "policy.toml").write_text((self.folder / "policy.toml").read_text() + '[server]\napprove_above = 0.5\ntick = "0ms"\n')
        server = self.serve()
        dear = {"question": ILL, "epsilon": 6}
        self.assertIn("there are no users here", self.document(server.request("POST", SPACE + "release", dear), 422)["error"]["hint"])
        self.ok(self.ask(ILL, "--epsilon", "6"))  # anybody who has the files is the curator
        self.assertTrue(self.document(server.request("POST", SPACE + "release", dear))["stored"])

    def test_approved_on_the_command_line(self):
        self.budget_of(10)
        (self.folder / "policy.toml").write_text((self.folder / "policy.toml").read_text() + '[server]\napprove_above = 0.5\ntick = "0ms"\n')
        tokens = self.users()
        server = self.serve("policy.toml", "--state", "state")
        ask = ("--server", f"http://127.0.0.1:{server.port}", "query", "policy", ILL, "--epsilon", "6")
        analyst = dict(os.environ, KITH_TOKEN=tokens["analyst"])
        self.refused(self.run_kith(*ask), 2, "KITH_TOKEN")
        self.refused(self.run_kith(*ask, env=analyst), 4, "--approval NUMBER")
        # However it is written, it is the same request: another program leaves the unit out, and writes 6 and not 6.0.
        again = self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 6}, token=tokens["analyst"]), 403)
        self.assertIn('"approval": 1', again["error"]["hint"])
        listed = self.ok(self.run_kith("approvals", "list", "--state", "state"))
        self.assertIn("asked by    an_analyst, about policy", listed)
        self.assertIn(f"question {ILL}", " ".join(listed.split()))
        self.assertIn("price       epsilon 6, ", listed)
        self.assertNotIn("{", listed)
        for outcome in (self.ok, lambda again: self.refused(again, 2, "until it lapses")):
            outcome(self.run_kith("approvals", "grant", "1", "--by", "an_curator", "--state", "state"))
        self.ok(self.run_kith(*ask, "--approval", "1", env=analyst))
        self.refused(self.run_kith(*ask, "--approval", "1", env=analyst), 2, "used already")
        self.refused(self.run_kith("query", "policy.toml", ILL, "--epsilon", "6", "--approval", "1"), 2, "leave it out")
        self.assertIn("may be asked", self.ok(self.run_kith("--server", ask[1], "columns", "policy", env=analyst)))

    def test_answers_leave_at_whole_ticks(self):
        (self.folder / "policy.toml").write_text((self.folder / "policy.toml").read_text() + '[server]\ntick = "200ms"\n')
        server = self.serve()
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}))
        for body, status in (({"question": ILL, "epsilon": 0.1}, 200), ({"question": ILL, "epsilon": 70}, 403), ({"question": "SELECT ill FROM people", "epsilon": 0.1}, 422)):
            began = time.monotonic()
            self.document(server.request("POST", SPACE + "release", body), status)
            self.assertGreaterEqual(time.monotonic() - began, 0.199)
        self.assertEqual(self.document(server.request("GET", "/v1/datasets"))["datasets"][0]["tick_milliseconds"], 200)

    def test_when_an_answer_was_ready_is_seen_at_whole_ticks_alone(self):
        (self.folder / "policy.toml").write_text((self.folder / "policy.toml").read_text() + '[server]\ntick = "2s"\n')
        self.ok(self.ask(younger(30), "--epsilon", "0.1"))  # the data are read in
        server = self.serve()
        body = {"analysis": "percentiles", "epsilon": 0.5, "options": {"column": "age", "ranks": [0.5], "cells": 4}}
        began = time.monotonic()
        job = self.document(server.request("POST", SPACE + "analyses", body), 202)["id"]
        looks = []
        while time.monotonic() - began < 1.3:
            looks.append((self.document(server.request("GET", f"/v1/jobs/{job}")), self.document(server.request("GET", SPACE + "history"))["history"]))
            time.sleep(0.02)
        if time.monotonic() - began < 1.45:  # a busy machine may have taken longer
            self.assertEqual({(look[0]["state"], look[0]["stage"]) for look in looks} - {("waiting", "")}, {("running", "")})
            self.assertFalse(any(line["answered"] for look in looks for line in look[1] if line["number"] > 1))
        self.assertIn("event: end\n", server.request("GET", f"/v1/jobs/{job}/events")[2])
        self.assertEqual(self.document(server.request("GET", f"/v1/jobs/{job}"))["state"], "done")

    def test_tls(self):
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                               "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, capture_output=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        tokens = self.users()
        tls = ("--tls-certificate", "cert.pem", "--tls-key", "key.pem")
        server = self.serve("policy.toml", "--state", "state", *tls)
        address = f"https://127.0.0.1:{server.port}"
        with_token = dict(os.environ, KITH_TOKEN=tokens["analyst"], KITH_CERTIFICATES="cert.pem")
        self.ok(self.run_kith("--server", address, "query", "policy", ILL, "--epsilon", "0.1", env=with_token))
        self.refused(self.run_kith("--server", address, "budget", "policy", env=dict(os.environ, KITH_TOKEN=tokens["analyst"])), 5, "not trusted")
        self.assertEqual(server.raw(b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")[:5], b"")  # no HTTP next to it
        self.assertEqual(server.stop(), 0)
        for arguments in [tls, ("--state", "state"), ()]:
            self.refused(self.run_kith("serve", "policy.toml", "--listen", "0.0.0.0:0", *arguments), 2, "other machines")
        self.refused(self.run_kith("serve", "policy.toml", "--state", "nowhere"), 2)


class Accounts(ServerCase):
    def test_a_race_for_the_last_of_the_budget(self):
        server = self.serve()
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 0.1}))
        answers = together(64, lambda k: server.request("POST", SPACE + "release", {"question": younger(20 + k), "epsilon": 0.25}))
        given = [json.loads(answer[2]) for answer in answers if answer[0] == 200]
        self.assertEqual(len(given), 3)  # 0.1 + 3 * 0.25 of 1
        self.assertEqual(sum(answer[0] == 403 for answer in answers), 61)
        history = self.document(server.request("GET", SPACE + "history"))["history"]
        self.assertEqual(sorted(line["number"] for line in history), [1, 2, 3, 4])
        self.assertEqual({line["number"] for line in history if line["answered"]}, {1} | {each["ledger_entry"] for each in given})
        report = self.document(server.request("GET", SPACE + "budget"))
        for cell in report["cells"]:
            self.assertLessEqual(cell["plain_spent"], cell["plain_budget"])

    def test_what_clients_were_told_is_in_the_ledger_of_a_killed_server(self):
        self.budget_of(1000)
        server = self.serve()
        self.document(server.request("POST", SPACE + "release", {"question": ILL, "epsilon": 1}))
        told, clients = [], 8

        def ask(k):
            try:
                for age in range(1, 100):
                    status, _, text = server.request("POST", SPACE + "release", {"question": younger(age), "epsilon": 1 + k / 100})
                    if status == 200 and not json.loads(text)["stored"]:  # a better answer of somebody else is free
                        told.append((json.loads(text)["ledger_entry"], json.loads(text)["plain"]["epsilon"]))
            except (OSError, ValueError, AssertionError):
                pass
            except Exception:  # http.client's own
                pass
        threads = [threading.Thread(target=ask, args=(k,)) for k in range(clients)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + 20
        while len(told) < 60 and time.monotonic() < end:
            time.sleep(0.01)
        server.stop(kill=True)
        for thread in threads:
            thread.join()
        report = self.json(self.run_kith("budget", "policy.toml", "--json"))
        lines = {line["number"]: line for line in report["history"]}
        self.assertGreaterEqual(len(told), 60)
        for number, _ in told:
            self.assertTrue(lines[number]["answered"])
        self.assertEqual(len({number for number, _ in told}), len(told))
        self.assertLessEqual(len(lines), 1 + len(told) + clients)  # charged, and killed before anybody was told
        self.assertAlmostEqual(max(cell["plain_spent"] for cell in report["cells"]), sum(line["plain_epsilon"] for line in lines.values()), places=6)


if __name__ == "__main__":
    unittest.main()
