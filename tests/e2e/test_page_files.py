"""The console's own files are kept by browsers and travel compressed; answers are neither."""
import gzip
import http.client
import unittest

from kith_case import ILL
from server_case import ServerCase

PATHS = ("/", "/console/console.js", "/console/console.css", "/console/icon.svg", "/console/LICENSES.txt")


class PageFiles(ServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def get(self, path, **headers):
        """(status, headers, bytes)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        found = answer.status, answer.headers, answer.read()
        connection.close()
        return found

    def test_what_is_compressed_is_the_same_file(self):
        for path in PATHS:
            status, headers, plain = self.get(path)
            self.assertEqual((status, headers["Content-Encoding"], headers["Cache-Control"]), (200, None, "no-cache"), path)
            for accepts in ("gzip", "br, gzip", "gzip , deflate"):
                status, small, body = self.get(path, Accept_Encoding=accepts)
                if small["Content-Encoding"] == "gzip":
                    self.assertEqual((gzip.decompress(body), small["Vary"]), (plain, "Accept-Encoding"), path)
                    self.assertNotEqual(small["ETag"], headers["ETag"])
                else:
                    self.assertEqual(body, plain)
            for accepts in ("gzip;q=0", "br", "xgzip", "*"):
                self.assertEqual(self.get(path, Accept_Encoding=accepts)[2], plain, accepts)
        self.assertEqual(self.get("/console/console.js", Accept_Encoding="gzip")[1]["Content-Encoding"], "gzip")

    def test_what_has_not_changed_is_not_sent_again(self):
        tags = set()
        for path in PATHS:
            tag = self.get(path)[1]["ETag"]
            self.assertRegex(tag, r'^"[0-9a-f]{32}"$')
            tags.add(tag)
            for asked in (tag, f'"other", {tag}'):
                status, headers, body = self.get(path, If_None_Match=asked)
                self.assertEqual((status, body, headers["ETag"]), (304, b"", tag), path)
                self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            for asked in ('"other"', tag.strip('"'), "*", ""):
                self.assertEqual(self.get(path, If_None_Match=asked)[0], 200, asked)
        self.assertEqual(len(tags), len(PATHS))
        # The connection goes on after an answer without a body.
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        for status in (304, 304, 200):
            connection.request("GET", "/", headers={"If-None-Match": self.get("/")[1]["ETag"] if status == 304 else "none"})
            answer = connection.getresponse()
            self.assertEqual((answer.status, bool(answer.read())), (status, status == 200))
        connection.close()

    def test_answers_are_neither_kept_nor_compressed(self):
        space = "/v1/datasets/policy"
        self.document(self.server.request("POST", space + "/release", {"question": ILL, "epsilon": 0.1}))
        for path in (space, space + "/budget", space + "/history", space + "/history/1", "/v1/datasets", "/v1/me", "/v1/openapi.json", "/v1/health", "/v1/nothing"):
            for headers in ({"Accept_Encoding": "gzip"}, {"If_None_Match": "*"}):
                _, said, _ = self.get(path, **headers)
                self.assertEqual((said["Content-Encoding"], said["ETag"], said["Cache-Control"]), (None, None, "no-store"), path)


if __name__ == "__main__":
    unittest.main()
