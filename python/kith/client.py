"""Policies behind a server, in pure Python: the same methods, by HTTP."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import time
import urllib.parse
from typing import Any, Mapping, Optional

from .errors import InvalidArgument, StorageError, from_document
from .session import Json, Session

_LARGEST = 64 << 20


class ServerSession(Session):
    """A dataset of a server. Every call has a connection of its own."""

    def __init__(self, url: str, token: Optional[str], dataset: str, certificates: Optional[str]) -> None:
        self.url = url
        self.dataset = dataset
        self._http = _Http(url, token, certificates)

    def _ask(self, what: str, body: Optional[Mapping[str, Any]], timeout: Optional[float]) -> Json:
        base = f"/v1/datasets/{urllib.parse.quote(self.dataset, safe='')}"
        if what == "columns":
            return self._http.json("GET", base, None, timeout)
        if what == "budget":
            budget = self._http.json("GET", base + "/budget", None, timeout)
            if (body or {}).get("history", True):
                budget["history"] = self._history(base, timeout)
            return budget
        if what == "audit":
            query = "?" + urllib.parse.urlencode(body) if body else ""
            return self._http.json("GET", base + "/audit" + query, None, timeout)
        if what == "answer":
            return self._http.json("GET", f"{base}/history/{int((body or {})['number'])}", None, timeout)
        if what == "import":
            return self._http.json("POST", base + "/import", None, timeout)
        if what == "analyses":
            return self._work(base + "/analyses", body, timeout)
        return self._http.json("POST", f"{base}/{what}", body or {}, timeout)

    def _history(self, base: str, timeout: Optional[float]) -> list[Any]:
        lines: list[Any] = []
        more = True
        while more:
            page = self._http.json("GET", f"{base}/history?limit=1000&after={lines[-1]['number'] if lines else 0}", None, timeout)
            lines += page["history"]
            more = bool(page["more"] and page["history"])
        return lines

    def _work(self, path: str, body: Optional[Mapping[str, Any]], timeout: Optional[float]) -> Json:
        """An analysis is a job: it is begun, looked at until it has ended, and stopped by Ctrl-C."""
        end = None if timeout is None else time.monotonic() + timeout
        job = self._http.json("POST", path, body or {}, timeout)
        place = f"/v1/jobs/{job['id']}"
        pause = 0.05
        try:
            while "result" not in job:
                if end is not None and time.monotonic() > end:
                    self._http.json("DELETE", place, None, None)
                    end = None  # it ends as cancelled, which says what became of the charge
                time.sleep(pause)
                pause = min(1.0, 2 * pause)
                job = self._http.json("GET", place, None, None)
        except BaseException as stopped:
            if isinstance(stopped, StorageError):
                stopped.charged = "maybe"  # the job goes on, or has ended; its answer did not come
            self._http.forget("DELETE", place)
            raise
        result: Json = job["result"]
        if "error" in result:
            raise from_document(result)
        return result

    def __repr__(self) -> str:
        return f"kith.connect({self.url!r}, dataset={self.dataset!r})"


class _Http:
    def __init__(self, url: str, token: Optional[str], certificates: Optional[str]) -> None:
        parts = urllib.parse.urlsplit(url.rstrip("/"))
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query or parts.username:
            raise InvalidArgument("not the address of a server", where=url[:80], hint="write it like https://kith.example:8400")
        self._url = url
        self._secure = parts.scheme == "https"
        self._host: str = parts.hostname
        self._port = parts.port
        self._token = token if token is not None else os.environ.get("KITH_TOKEN", "")
        if self._token and not self._secure and not _is_loopback(self._host):
            raise InvalidArgument("a token would travel to another machine without TLS", where=url, hint="use https://")
        self._trust = ssl.create_default_context(cafile=certificates) if self._secure else None

    def _connection(self, timeout: Optional[float]) -> http.client.HTTPConnection:
        if self._trust is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._trust)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def json(self, method: str, path: str, body: Optional[Mapping[str, Any]], timeout: Optional[float]) -> Json:
        headers = {"Accept": "application/json"}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        text = None
        if body is not None:
            text = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        connection = self._connection(timeout)
        sent = False
        try:
            connection.connect()
            sent = True
            connection.request(method, path, body=text, headers=headers)
            response = connection.getresponse()
            content = response.read(_LARGEST + 1)
        except ssl.SSLCertVerificationError:
            raise StorageError(
                "the server's certificate is not trusted", where=self._url, hint="name the file of certificates to trust: certificates="
            ) from None
        except (OSError, http.client.HTTPException):
            if sent and method == "POST":
                raise StorageError(
                    "the connection was lost before the answer came; it may have been charged",
                    where=self._url,
                    hint="ask the same again: what was answered once costs nothing",
                    charged="maybe",
                ) from None
            raise StorageError("the server cannot be reached", where=self._url, hint="check its address, and that it runs") from None
        finally:
            connection.close()
        return self._read(method, response.status, content)

    def _read(self, method: str, status: int, content: bytes) -> Json:
        try:
            found = json.loads(content)
        except ValueError:
            found = None
        if not isinstance(found, dict) or len(content) > _LARGEST:
            raise StorageError(
                f"the server answered with status {status}, and not as kith does",
                where=self._url,
                hint="check that the address is that of kith serve",
                charged="maybe" if method == "POST" else "no",
            )
        if status == 401 and not self._token:
            raise InvalidArgument("the server asks who you are", where=self._url, hint="kith.connect(url, token), or KITH_TOKEN")
        if "error" in found:
            raise from_document(found)
        return found

    def forget(self, method: str, path: str) -> None:
        """Asks and does not wait for more than a moment, whatever comes of it."""
        try:
            self.json(method, path, None, 2.0)
        except Exception:
            pass


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def connect(
    url: str,
    token: Optional[str] = None,
    *,
    dataset: Optional[str] = None,
    certificates: Optional[str] = None,
) -> Session:
    """A dataset of a server that ``kith serve`` runs; its only one if none is named.

    ``token``: as the curator gave it; else that of KITH_TOKEN. ``certificates``: a file of certificates to trust.
    """
    server = _Http(url, token, certificates)
    if dataset is None:
        names = [str(each["name"]) for each in server.json("GET", "/v1/datasets", None, 30.0)["datasets"]]
        if len(names) != 1:
            raise InvalidArgument(
                "the server has several datasets" if names else "the server has no dataset for you",
                where=url,
                hint="choose one: dataset=" + " or ".join(repr(each) for each in names) if names else "ask the curator for a grant",
            )
        dataset = names[0]
    return ServerSession(url, token, dataset, certificates)
