"""Streams over HTTP that end before their last step: what is said about those before it, about prices and about waiting."""
import json
import time
import unittest

from server_case import STREAM, ServerCase

COUNT = "SELECT ward, count(*) AS n FROM t GROUP BY ward"
ROWS = "id,at,ward,x,y\n" + "".join(f"{t * 10 + i},{t},{'AB'[i % 2]},0.5,0.5\n" for t in range(40) for i in range(3))


class ServerStreams(ServerCase):
    def start(self, policy=STREAM, allowance=100, rows=ROWS):
        self.write("policy.toml", policy)
        self.write("t.csv", rows)
        self.tokens = self.users(allowance=str(allowance))
        self.server = self.serve("policy.toml", "--state", "state")

    def steps(self, ticks, who="analyst", epsilon=2):
        """Status and document of a job, when it is over."""
        token = self.tokens[who]
        status, _, text = self.server.request("POST", "/v1/datasets/policy/streams", {"statistic": COUNT, "epsilon": epsilon, "steps": ticks}, token=token)
        if status != 202:
            return status, text
        job = self.document((status, None, text), 202)["id"]
        for _ in range(600):
            status, _, text = self.server.request("GET", f"/v1/jobs/{job}", token=token)
            if json.loads(text)["state"] not in ("waiting", "running"):
                return status, text
            time.sleep(0.05)
        self.fail("the job never ended")

    def charges(self):
        return len(self.json(self.run_kith("budget", "policy.toml", "--json"))["history"])

    def test_an_allowance_that_ends_midway(self):
        """Each window of 4 steps may lose 2, a step 0.5 of it: 3.2 covers six."""
        self.start(allowance=3.2)
        _, text = self.steps("0..20")
        self.assertIn("at step 6: ", text)
        self.assertIn("the 6 steps before it were released, and are free", text)
        self.assertNotIn("nothing was charged", text)
        self.assertEqual(self.charges(), 6)
        _, text = self.steps("0..5")
        self.assertIn('"steps"', text)
        self.assertEqual(self.charges(), 6)

    def test_a_price_that_needs_approval_is_told_with_the_limit(self):
        self.start(STREAM.replace('tick = "0ms"', 'tick = "0ms"\napprove_above = 0.25'))
        _, text = self.steps("0..3")
        self.assertIn("more than 0.25 of plain loss", text)
        self.assertNotIn("above 0 needs", text)
        self.assertIn("nobody approves streams", text)
        self.assertEqual(self.charges(), 0)
        self.assertIn('"steps"', self.steps("0..3", who="curator")[1])
        _, text = self.steps("0..4")
        self.assertIn("at step 4: ", text)
        self.assertIn("the 4 steps before it were released", text)

    def test_nobody_is_told_to_follow(self):
        self.start(STREAM.replace('at = { type = "integer" }', 'at = { type = "timestamp" }').replace("step = 1", 'step = "1 hour"\nstart = "2020-01-01"'),
                   rows="id,at,ward,x,y\n1,2020-01-01 00:00:00,A,0.5,0.5\n")
        _, text = self.steps("800000")
        self.assertIn("is not over yet", text)
        self.assertNotIn("follow", text)


if __name__ == "__main__":
    unittest.main()
