#!/usr/bin/env python3
"""Has Ray run the workers of a training run (docs/training.md#ray).

    python3 drive.py --run s3://bucket/run --workers 100 --gpus 0.25

Each task is one `tengen-train work`, which finds its tickets itself; one that fails is started again. No
game passes through Ray, so a driver that is started again needs nothing else.
Exit status: 0 when the plan is complete, 78 when the programs must not work on this run.
"""

import argparse
import subprocess
import sys
import time

REFUSED = 78  # as tengen-train says: trying again will not help
PAUSE = 5  # seconds before a worker is started again


def drive(count, start, wait, pause, log=lambda text: None):
    """Keeps this many workers running until each has ended by itself; returns the exit status.

    `start` starts one and returns a handle; `wait(handles)` returns finished ones with their exit status each, or
    an error of Ray's."""
    running = {start() for _ in range(count)}
    while running:
        for handle, status in wait(list(running)):
            running.remove(handle)
            if status == REFUSED:
                log("a worker refused to work on this run; its log says why")
                return REFUSED
            if status != 0:
                log(f"a worker ended with {status}: once more")
                pause()
                running.add(start())
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--run", required=True, help="URL of the run, as for tengen-train work")
    parser.add_argument("--workers", type=int, required=True, help="worker processes")
    parser.add_argument("--cpus", type=float, default=1, help="processors of a worker [1]")
    parser.add_argument("--gpus", type=float, default=0, help="GPUs of a worker, or a share of one [0]")
    parser.add_argument("--program", default="tengen-train", help="its path on all machines")
    parser.add_argument("--address", default="auto", help="of the Ray cluster [the running one]")
    options = parser.parse_args(arguments)
    if options.workers < 1:
        parser.error("--workers takes a number of at least 1")
    return options


def work_command(options):
    command = [options.program, "work", "--run", options.run]
    command += ["--threads", str(max(1, round(options.cpus)))]
    if options.gpus > 0:
        command += ["--device", "cuda"]
    return command


def main():
    options = parse(None)
    import ray  # late, so that --help and the tests need no Ray

    ray.init(address=options.address, logging_level="warning")
    resources = {"num_cpus": options.cpus, "num_gpus": options.gpus, "max_retries": 0}
    call = ray.remote(**resources)(subprocess.call)

    def wait(handles):
        finished, _ = ray.wait(handles, num_returns=1)
        for handle in finished:
            try:
                yield handle, ray.get(handle)
            except ray.exceptions.RayError as error:
                yield handle, error

    return drive(
        options.workers,
        start=lambda: call.remote(work_command(options)),
        wait=wait,
        pause=lambda: time.sleep(PAUSE),
        log=lambda text: print(f"drive.py: {text}", file=sys.stderr, flush=True),
    )


if __name__ == "__main__":
    sys.exit(main())
