"""A `dietmt serve` process for trials and bench/serve_load.py."""
import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time


class Server:
    """On a free port; its log is WORK/log. `model`: SRC-TGT=DIR, or DIR for en-de."""

    def __init__(self, dietmt, model, work, *options):
        self.log = work / "log"
        self.process = subprocess.Popen(
            [str(word) for word in (dietmt, "serve", "--model",
                                    model if "=" in str(model) else f"en-de={model}",
                                    "--port", 0, *options)],
            stdout=subprocess.DEVNULL, stderr=open(self.log, "w"))
        found = self.await_log(r"listening at 127\.0\.0\.1:(\d+)", 60)
        if found is None:
            self.__exit__()
            sys.exit(f"the server does not start: {self.log.read_text()}")
        self.port = int(found[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        """The exit code after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def await_log(self, pattern, seconds=30):
        """The match of `pattern` in the log; None if it does not come."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if found := re.search(pattern, self.log.read_text()):
                return found
            time.sleep(0.05)
        return None

    def ask(self, method, path, body=None, port=None, **headers):
        """Status, header fields and body of an answer, on a new connection."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=600)
        try:
            connection.request(method, path, body,
                               {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def metric(self, name):
        """The sum of a metric over its labels."""
        text = self.ask("GET", "/metrics")[2].decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.M))

    def json(self, path, fields, **headers):
        status, _, body = self.ask("POST", path, json.dumps(fields).encode(),
                                   Content_Type="application/json", **headers)
        return status, json.loads(body)

    def form(self, path, parts, **headers):
        """A multipart form; a part is text or (file name, bytes)."""
        body = io.BytesIO()
        for name, value in parts.items():
            file = f'; filename="{value[0]}"' if isinstance(value, tuple) else ""
            body.write(f'--x\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode())
            body.write(value[1] if isinstance(value, tuple) else value.encode())
            body.write(b"\r\n")
        body.write(b"--x--\r\n")
        status, _, answer = self.ask("POST", path, body.getvalue(),
                                     Content_Type="multipart/form-data; boundary=x", **headers)
        return status, json.loads(answer)

    def connect(self, data=b"", timeout=60):
        """A connection on which `data` has been sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        connection.sendall(data)
        return connection

    def megabytes(self, name="VmRSS"):
        """Resident memory; its peak: VmHWM."""
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(name + r":\s+(\d+)", status)[1]) / 1024

    def cpu_seconds(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def everything(connection, seconds=10):
    """All bytes until the server closes the connection, or sends nothing for some seconds."""
    received = b""
    connection.settimeout(seconds)
    try:
        while data := connection.recv(65536):
            received += data
    except OSError:
        pass
    return received


def statuses(received):
    """The status codes of the answers in these bytes."""
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3})", received)]
