"""The store of the runs: SeaweedFS, behind a proxy that can cut its connections."""

import atexit
import json
import random
import socket
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

PORTS = {"s3": 18333, "filer": 18888, "master": 19333, "volume": 18080, "proxy": 18334}


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("it did not happen")
        time.sleep(0.005)


class Proxy(threading.Thread):
    """Forwards connections; while `rate` is above 0, it cuts that share of them at a random byte."""

    def __init__(self, port, target):
        super().__init__(daemon=True)
        self.target, self.rate, self.cuts = target, 0.0, 0
        self.server = socket.create_server(("127.0.0.1", port))
        self.start()

    def run(self):
        while True:
            client, _ = self.server.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                client.close()
                continue
            # Bytes of the requests, or of the answers, after which both sides are cut off.
            limits = [None, None]
            if random.random() < self.rate:
                limits[random.randrange(2)] = random.choice([1, 300, 1000, 3000, 10000])
            pairs = [(client, server, limits[0]), (server, client, limits[1])]
            for pair in pairs:
                threading.Thread(target=self.forward, args=pair, daemon=True).start()

    def forward(self, source, target, limit):
        passed = 0
        try:
            while data := source.recv(65536):
                if limit is not None and passed + len(data) >= limit:
                    target.sendall(data[: max(0, limit - passed)])
                    self.cuts += 1
                    break
                target.sendall(data)
                passed += len(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class Weed:
    """A server of SeaweedFS with one bucket."""

    def __init__(self, program, folder):
        self.program, self.folder = program, Path(folder)
        self.folder.mkdir(parents=True)
        keys = {"accessKey": "key", "secretKey": "secret"}
        identity = {"name": "t", "credentials": [keys], "actions": ["Admin", "Read", "Write", "List"]}
        (self.folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
        self.start()
        self.proxy = Proxy(PORTS["proxy"], PORTS["s3"])

    def start(self):
        command = [self.program, "server", f"-dir={self.folder}", "-ip=127.0.0.1", "-s3", "-filer"]
        command += [f"-s3.port={PORTS['s3']}", f"-filer.port={PORTS['filer']}"]
        command += [f"-master.port={PORTS['master']}", f"-volume.port={PORTS['volume']}"]
        command += [f"-s3.config={self.folder}/s3.json", "-volume.max=100", "-master.volumeSizeLimitMB=64"]
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log)
        atexit.register(self.process.kill)
        until(lambda: self.exists(""), 60)
        if not self.exists("trial/"):
            put = urllib.request.Request(self.url("trial/"), method="POST")
            urllib.request.urlopen(put, timeout=10).close()

    def url(self, name):
        return f"http://127.0.0.1:{PORTS['filer']}/buckets/{name}"

    def exists(self, name):
        try:
            head = urllib.request.Request(self.url(name), method="HEAD")
            urllib.request.urlopen(head, timeout=5).close()
            return True
        except OSError as error:
            return getattr(error, "code", 0) == 404 and name == ""

    def environment(self):
        return {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT": f"http://127.0.0.1:{PORTS['proxy']}",
            "AWS_ALLOW_HTTP": "true",
        }
