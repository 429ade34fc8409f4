# SPDX-License-Identifier: MIT
"""A page in a headless browser, by the pipe of its debugging protocol.

    with Page("heap.html", dark=True) as page:
        page.says("document.title")         what an expression is
        page.press("ArrowDown", "Enter")    keys, as from a keyboard
        page.draw("heap.png")               a picture

page.errors: what went wrong in the page's scripts.  page.asked: all addresses
that it asked for, its own first.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAMES = ("chromium-headless-shell", "chromium", "google-chrome")
KEYS = {"Enter": (13, "\r"), " ": (32, " "), "Escape": (27, ""), "Tab": (9, ""),
        "ArrowLeft": (37, ""), "ArrowUp": (38, ""), "ArrowRight": (39, ""),
        "ArrowDown": (40, ""), "Home": (36, ""), "End": (35, ""),
        "PageDown": (34, ""), "/": (191, "/")}


def browser():
    """Out: its path; None: there is none here."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    def __init__(self, path, dark=False, width=1280, height=1400):
        self.folder = tempfile.TemporaryDirectory()
        self.errors, self.asked, self.count = [], [], 0
        # The browser reads commands from its descriptor 3, and answers in 4.
        to_read, self.to = os.pipe()
        self.answers, from_write = os.pipe()
        os.set_inheritable(to_read, True)
        os.set_inheritable(from_write, True)
        command = [browser(), "--headless", "--no-sandbox", "--disable-gpu",
                   "--disable-dev-shm-usage", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}",
                   f"--window-size={width},{height}"]
        shell = f'exec 3<&{to_read} 4>&{from_write}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *command], close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest = b""
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")
        self.ask("Performance.enable", timeDomain="threadTicks")
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.loaded = False
        self.ask("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not self.loaded:
            self.hear(self.receive())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.answers)
        self.folder.cleanup()

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 16)
            if not more:
                sys.exit("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def hear(self, message):
        """What the browser says by itself."""
        about, what = message.get("method"), message.get("params", {})
        if about == "Page.loadEventFired":
            self.loaded = True
        elif about == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", details).get(
                "description", details["text"]))
        elif about == "Log.entryAdded":
            self.errors.append(what["entry"]["text"])
        elif about == "Network.requestWillBeSent":
            self.asked.append(what["request"]["url"])

    def ask(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.hear(answer)

    def says(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression,
                          returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def took(self):
        """Out: seconds of CPU time that the page has taken until now."""
        metrics = self.ask("Performance.getMetrics")["metrics"]
        return {one["name"]: one["value"] for one in metrics}["TaskDuration"]

    def press(self, *keys):
        for key in keys:
            code, text = KEYS.get(key, (ord(key[0].upper()), key))
            for kind in ("keyDown", "keyUp"):
                self.ask("Input.dispatchKeyEvent", type=kind, key=key,
                         windowsVirtualKeyCode=code,
                         text=text if kind == "keyDown" else "")

    def draw(self, path):
        picture = self.ask("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))
