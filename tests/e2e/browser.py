"""Opens a file in a real browser (Chromium, headless) and asks it questions, over the DevTools pipe."""
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """Use with `with`. What the page writes to the console, and what it fails to load, is collected in `complaints`."""
    session = None

    def __init__(self, width=800, height=1000):
        program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not program:
            raise RuntimeError("no Chromium here; run: ./setup test")
        self.complaints, self.number = [], 0
        self.profile = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.answers, to_write = os.pipe()
        # The browser reads commands from descriptor 3 and answers on descriptor 4.
        command = f'exec 3<&{to_read} 4>&{to_write}; exec "$0" "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", command, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
             f"--window-size={width},{height}", "about:blank"],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        try:
            self.attach(width, height)
        except BaseException:
            self.__exit__()
            raise

    def attach(self, width, height):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        self.process.terminate()
        self.process.wait(timeout=120)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise RuntimeError("the browser went away")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        method = message.get("method", "")
        if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Network.loadingFailed"):
            self.complaints.append(message["params"])
        if method == "Network.requestWillBeSent" and not message["params"]["request"]["url"].startswith(("file:", "data:", "about:")):
            self.complaints.append(message["params"]["request"]["url"])
        return message

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def open(self, path):
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self.message().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=f"JSON.stringify({expression})", returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["text"])
        return json.loads(result["result"]["value"])
