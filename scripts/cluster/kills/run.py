"""One run: its store, the processes that work on it, and what is wanted of it in the end."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from store import until

PLAN = Path(__file__).with_name("plan.toml")
DRIVER = Path(__file__).parents[1] / "ray" / "drive.py"
LEASE = 2  # seconds


class Run:
    """A run in a folder, or in the bucket of a server."""

    def __init__(self, options, weed, name, usual):
        self.program, self.weed, self.name = options.program, weed, name
        self.usual = usual  # seconds of an undisturbed run
        self.folder = Path(options.folder) / name
        self.folder.mkdir(parents=True)
        self.url = f"s3://trial/{name}" if weed else str(self.folder / "store")
        self.environment = {**os.environ, **(weed.environment() if weed else {})}
        self.processes = []

    def exists(self, name):
        if self.weed:
            return self.weed.exists(f"trial/{self.name}/{name}")
        return (self.folder / "store" / name).exists()

    def wait_for_random_moment(self):
        until(lambda: self.exists("g0000/tickets.json"), 60)
        time.sleep(random.uniform(0, 0.8 * self.usual))

    def spawn(self, *command):
        log = open(self.folder / f"log{len(self.processes)}", "wb")
        # Own groups: a signal reaches programs behind a prefix, too.
        process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def learner(self, copy="copy"):
        common = ["--out", str(self.folder / copy), "--no-play", "--threads", "1", "--lease", str(LEASE)]
        return self.spawn(self.program, "loop", str(PLAN), "--run", self.url, *common)

    def worker(self, prefix=()):
        return self.spawn(*prefix, self.program, "work", "--run", self.url, "--threads", "1", "--lease", str(LEASE))

    def driver(self):
        """The driver of two workers under Ray."""
        placed = ["--run", self.url, "--program", str(Path(self.program).resolve()), "--workers", "2"]
        return self.spawn(sys.executable, "-B", str(DRIVER), *placed)

    def log(self):
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("log*")))

    def call(self, *arguments):
        done = subprocess.run([self.program, *arguments], env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"{arguments}: {done.stderr}\n{self.log()}")
        return done.stdout

    def judge(self, wanted):
        """All results of the store, after fsck; compared with those of the undisturbed run."""
        files = self.folder / "files"
        self.call("copy", "--run", self.url, "--out", str(files))
        self.call("fsck", str(files))
        shards = {str(path.relative_to(files)): path.read_bytes() for path in files.glob("g*/games/*.parquet")}
        tickets = self.call("tickets", "--run", self.url)
        assert tickets == "", f"open: {tickets}"
        assert len(list(files.glob("g*/done.json"))) == 4, "a generation is missing"
        if wanted is not None:
            assert shards.keys() == wanted.keys(), sorted(shards.keys() ^ wanted.keys())
            differ = [name for name in shards if shards[name] != wanted[name]]
            assert not differ, f"differ: {differ}"
        return shards

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                kill(process)
                process.wait()


def kill(process, what=signal.SIGKILL):
    try:
        os.killpg(process.pid, what)
    except ProcessLookupError:
        pass
