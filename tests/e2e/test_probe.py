"""The black-box tester as a program: on faulty programs, on a server. (On kith itself: docs/guide/probe.md, whose snippets are run.)"""
import http.server
import json
import random
import subprocess
import threading
import unittest

import browser
import kith_case

# Answers many times: count and sum, with noise that is fresh or (a fault) the same for both.
TWO_ANSWERS = """
import random, sys
exact, times, fault = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "reused"
random.seed(exact * 7919 + times)
lap = lambda: random.expovariate(0.5) - random.expovariate(0.5)
for _ in range(times):
    z = lap()
    print(exact + z, 5 + (z if fault else lap()))
"""


class Probe(kith_case.KithCase):
    def probe(self, left, right, *arguments, runs=2000):
        return self.run_kith("probe", "--left", left, "--right", right, "--runs", runs, *arguments)

    def batch(self, exact, fault):
        return f"python3 two.py {exact} {{runs}} {fault}"

    def test_reused_noise_is_found_and_fresh_noise_is_not(self):
        self.write("two.py", TWO_ANSWERS)
        fault = self.probe(self.batch(4, "reused"), self.batch(3, "reused"), "--batch", "--claimed", "1", "--json")
        self.assertEqual(fault.returncode, 1, fault.stderr)
        proof = json.loads(fault.stdout)
        self.assertGreater(proof["loss_at_least"], 2)
        self.assertEqual(proof["events"][0]["family"], "pair of answers")
        self.assertLessEqual(proof["false_alarm"], 1.000001e-9)
        self.ok(self.probe(self.batch(4, "fresh"), self.batch(3, "fresh"), "--batch", "--claimed", "1"))

    def test_report_in_a_browser(self):
        self.write("two.py", TWO_ANSWERS)
        done = self.probe(self.batch(4, "reused"), self.batch(3, "reused"), "--batch", "--claimed", "1", "--report", "r.html")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("The claim of 1 is wrong", done.stdout)
        with browser.Browser(width=800) as seen:
            seen.open(self.folder / "r.html")
            self.assertEqual(seen.complaints, [])
            self.assertLessEqual(seen.value("document.documentElement.scrollWidth"), 800)
            self.assertEqual(seen.value("document.querySelectorAll('figure > svg').length"), 1)
            self.assertIn("The claim of 1 is wrong", seen.value("document.querySelector('.verdict').textContent"))
            self.assertIn("--batch", seen.value("document.querySelector('pre').textContent"))

    def test_the_command_in_the_report_gives_the_same_figures(self):
        self.write("two.py", TWO_ANSWERS)
        first = self.probe(self.batch(4, "reused"), self.batch(3, "reused"), "--batch", "--report", "r.html")
        text = (self.folder / "r.html").read_text()
        command = text[text.rindex("<pre>") + 5:text.rindex("</pre>")].replace("&#39;", "'")
        again = subprocess.run(["bash", "-c", command.replace("kith probe", f"{kith_case.KITH} probe")], cwd=self.folder, text=True,
                               capture_output=True, timeout=120)
        self.assertEqual(self.ok(first), self.ok(again))

    def test_a_server(self):
        noise = random.Random(5)  # the order of requests is not fixed, so neither is the noise of a side: ten scales are seen whatever it is

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                exact = 10 if self.path == "/left" else 0
                body = json.dumps({"count": exact + round(noise.expovariate(1) - noise.expovariate(1))}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        base = f"http://127.0.0.1:{server.server_port}"
        done = self.probe(base + "/left", base + "/right", "--pick", "/count", "--claimed", "1", "--json", runs=600)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.probe(base + "/left", base + "/left", "--pick", "/count", "--claimed", "0.1", runs=200).returncode, 0)

    def test_bad_usage_says_what_to_do(self):
        self.refused(self.probe("no-such-program", "echo 1"), 2, "no such program", "--shell")
        self.refused(self.probe("false", "false", runs=100), 2, "every run failed: exit code 1", "by hand")
        self.refused(self.probe("echo 'x", "echo 1"), 2, "quote")
        self.refused(self.probe("echo 1", "echo 2", runs=10), 2, "too few runs")
        self.refused(self.probe("echo 1", "echo 2", "--batch"), 2, "1 answers instead of 2000")
        self.refused(self.probe("echo 1", "echo 2", "--delta", "1", runs=100), 2, "delta")
        self.refused(self.probe("echo 1", "echo 2", "--claimed", "-1", runs=100), 2, "claimed")
        self.refused(self.probe("echo 1", "echo 2", "--pick", "count", runs=100), 2, "JSON pointer")
        self.refused(self.probe("echo '{}'", "echo '{}'", "--pick", "/n", runs=100), 2, "no run gave a number", "point to")
        self.refused(self.probe("https://127.0.0.1/", "echo 2", runs=100), 2, "http://")
        self.refused(self.probe("http://127.0.0.1:1/", "echo 2", runs=100), 5, "server")

    def test_nothing_on_standard_error_when_piped(self):
        self.assertEqual(self.probe("echo 1", "echo 1", runs=100).stderr, "")


if __name__ == "__main__":
    unittest.main()
