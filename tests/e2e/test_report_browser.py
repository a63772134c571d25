"""Reports in a real browser: nothing to complain about, nothing wider than the window, every chart there to be seen."""
import base64
import os
import pathlib
import subprocess
import unittest

import browser
import kith_case

# Boxes of all text in charts, relative to their own picture; what sticks out would be cut off.
STICKS_OUT = """[...document.querySelectorAll('figure > svg')].flatMap(s => { const o = s.getBoundingClientRect();
  return [...s.querySelectorAll('text')].filter(t => { const b = t.getBoundingClientRect();
    return b.left < o.left - 1 || b.right > o.right + 1 || b.top < o.top - 1 || b.bottom > o.bottom + 1; }).map(t => t.textContent) })"""
# Pairs of labels in one chart that cover each other.
OVERLAPS = """[...document.querySelectorAll('figure > svg')].flatMap(s => { const all = [...s.querySelectorAll('text')];
  return all.flatMap((a, i) => all.slice(i + 1).filter(b => { const p = a.getBoundingClientRect(), q = b.getBoundingClientRect();
    return p.left < q.right - 2 && q.left < p.right - 2 && p.top < q.bottom - 4 && q.top < p.bottom - 4; })
    .map(b => a.textContent + ' / ' + b.textContent)) })"""


class ReportInABrowser(kith_case.KithCase):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "report.html"
        self.page.write_text(subprocess.run([os.environ["REPORT_SAMPLE"]], check=True, text=True, capture_output=True).stdout)

    def check(self, page, charts):
        with browser.Browser(width=800) as seen:
            seen.open(page)
            self.assertEqual(seen.complaints, [])
            self.assertLessEqual(seen.value("document.documentElement.scrollWidth"), 800)
            boxes = seen.value("[...document.querySelectorAll('figure > svg')].map(s => { const b = s.getBoundingClientRect();"
                               "return [b.width, b.height, getComputedStyle(s).visibility] })")
            self.assertEqual(len(boxes), charts)
            for width, height, visibility in boxes:
                self.assertGreater(width, 500)
                self.assertGreater(height, 100)
                self.assertEqual(visibility, "visible")
            self.assertEqual(seen.value(STICKS_OUT), [])
            self.assertEqual(seen.value(OVERLAPS), [])
            self.assertEqual(seen.value("document.querySelectorAll('main').length"), 1)
            self.assertEqual(seen.value("document.scripts.length"), 0)
            pdf = base64.b64decode(seen.call("Page.printToPDF")["data"])
            self.assertEqual(pdf[:5], b"%PDF-")
            self.assertGreater(len(pdf), 5000)

    def test_sample(self):
        self.check(self.page, charts=4)

    def test_the_browser_sees_a_page_that_is_too_wide_and_a_script(self):
        bad = self.folder / "bad.html"
        bad.write_text("<main><div style='width:2000px'>x</div><script>console.error('no')</script><img src='missing.png'></main>")
        with browser.Browser(width=800) as seen:
            seen.open(bad)
            self.assertGreater(seen.value("document.documentElement.scrollWidth"), 800)
            self.assertGreaterEqual(len(seen.complaints), 2)

    def test_the_browser_sees_text_that_is_cut_or_covered(self):
        bad = self.folder / "bad.html"
        bad.write_text("<figure><svg width='300' height='200'><text x='280' y='50'>cut off</text><text x='9' y='50'>one</text>"
                       "<text x='12' y='52'>two</text></svg></figure>")
        with browser.Browser(width=800) as seen:
            seen.open(bad)
            self.assertEqual(seen.value(STICKS_OUT), ["cut off"])
            self.assertEqual(seen.value(OVERLAPS), ["one / two"])

    def test_scripts_do_not_run_even_if_one_slips_in(self):
        text = self.page.read_text().replace("</main>", "<script>document.title = 'hacked'</script></main>")
        self.page.write_text(text)
        with browser.Browser() as seen:
            seen.open(self.page)
            self.assertNotEqual(seen.value("document.title"), "hacked")
            self.assertNotEqual(seen.complaints, [])

    def test_chart_of_a_transfer_function(self):
        self.write("m.json", '{"kind":"group","size":4,"odds_ratio":2}')
        self.ok(self.run_kith("transfer", "m.json", "--plain", "0.25", "--plot", "g.svg"))
        html = pathlib.Path(self.folder, "g.html")
        html.write_text("<!DOCTYPE html><body style='margin:0'><main><figure style='margin:0'>" + (self.folder / "g.svg").read_text() + "</figure></main>")
        self.check(html, charts=1)


if __name__ == "__main__":
    unittest.main()
