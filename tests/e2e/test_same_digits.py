"""One certificate, wherever it is read: command line, Python, console, HTTP and psql show the same digits, rounded up."""
import decimal
import importlib
import json
import math
import pathlib
import re
import sys
import time
import types
import unittest

from browser import Browser
from kith_case import ILL
from pg_case import PgCase

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRICES = ("0.0777", "0.05", "0.123", "0.031", "0.0419")
NUMBER = r"([0-9.]+(?:e-?[0-9]+)?)"
# Plain loss of the answer, plain loss of all answers, dependent loss of all answers.
LINES = {
    "command line": f"plain loss {NUMBER} for this answer; {NUMBER} in all .*dependent {NUMBER} in all",
    "python": f"plain loss {NUMBER} for this answer; {NUMBER} in all dependent {NUMBER} in all",
    "psql": f"plain loss {NUMBER} for this answer; {NUMBER} in all; dependent loss {NUMBER}",
    "console": f"Plain loss of this answer {NUMBER} Plain loss of all answers {NUMBER} Dependent loss of all answers {NUMBER}",
}


def decimals(exact, rounding):
    """The losses with four digits, by decimal arithmetic alone."""
    return [f"{decimal.Context(prec=4, rounding=rounding).create_decimal(decimal.Decimal(x)).normalize():f}" for x in exact]


def python_package():
    """The package as it is written, without the compiled part, which documents do not need."""
    if "kith" not in sys.modules:
        sys.modules["kith"] = types.ModuleType("kith")
        sys.modules["kith"].__path__ = [str(ROOT / "python" / "kith")]
    return importlib.import_module("kith.documents")


class SameDigits(PgCase):
    def found(self, where, text):
        found = re.search(LINES[where], " ".join(text.split()))
        self.assertIsNotNone(found, f"{where}: {text}")
        return list(found.groups())

    def http(self, server, number):
        status, _, text = server.request("GET", f"/v1/datasets/policy/history/{number}")
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def console(self, browser, server, number):
        browser.call("Page.navigate", url=f"http://127.0.0.1:{server.port}/?{number}#/policy/budget")
        read = "[...document.querySelectorAll('button')].find((b) => b.textContent.includes('the certificate of answer %d'))" % number
        shown = "document.querySelector('dialog dl.facts')"
        self.until(lambda: browser.value(f"Boolean({read})"))
        browser.value(f"{read}.click() ?? true")
        self.until(lambda: browser.value(f"Boolean({shown})"))
        return browser.value(f"[...{shown}.querySelectorAll('dt, dd')].map((e) => e.textContent).join(' ')")

    def until(self, holds):
        for _ in range(600):
            if holds():
                return
            time.sleep(0.05)
        self.fail("the page did not get there")

    def test_one_certificate_has_the_same_digits_everywhere(self):
        self.quick_policy(1)
        server, documents = self.serve_pg(), python_package()
        nearest = 0
        with Browser() as browser:
            for number, price in enumerate(PRICES, 1):
                sql = ILL + f" AND house <> {number}"
                text = self.ok(self.ask(sql, "--epsilon", price))
                kept = self.json(self.ask(sql, "--epsilon", price, "--json"))
                exact = [kept["plain"]["epsilon"], kept["plain"]["spent_total"], kept["dependent"]["epsilon_total"]]
                over_http = self.http(server, number)
                self.assertEqual([over_http["plain"]["epsilon"], over_http["plain"]["spent_total"], over_http["dependent"]["epsilon_total"]], exact)
                shown = {
                    "command line": self.found("command line", text),
                    "python": self.found("python", repr(documents.Answer(over_http).certificate)),
                    "psql": self.found("psql", self.psql(server, f"SET kith.epsilon = {price}", sql).stderr),
                    "console": self.found("console", self.console(browser, server, number)),
                }
                self.assertEqual(shown, {where: decimals(exact, decimal.ROUND_CEILING) for where in LINES})
                nearest += decimals(exact, decimal.ROUND_HALF_EVEN) != decimals(exact, decimal.ROUND_CEILING)
        self.assertGreater(nearest, 0, "the planted fault, the nearest decimal, would not be seen")

    def test_python_rounds_as_the_program_does(self):
        """Of every size: up what is lost, down what is left."""
        python_package()
        losses = importlib.import_module("kith._losses")
        for k in range(2000):
            exact = math.exp(math.sin(k) * 20) * (1 + k / 7919)
            up, down = float(losses.loss_text(exact)), float(losses.left_text(exact))
            self.assertLessEqual(down, exact)
            self.assertLessEqual(exact, up)
            self.assertLess(up - down, 1.01e-3 * exact)
        self.assertEqual([losses.loss_text(x) for x in (0, "inf", 1, 0.16780779, 99995)], ["0", "∞", "1", "0.1679", "100000"])


if __name__ == "__main__":
    unittest.main()
