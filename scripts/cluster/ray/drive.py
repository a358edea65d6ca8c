#!/usr/bin/env python3
"""Has Ray hand out the tickets of a training run (docs/training.md#ray).

    python drive.py --run s3://bucket/run --workers 100 --gpus 0.25

Each actor owns one `tengen-train work --tickets -`. No game passes through Ray: results lie in the
store, which also knows what is open, so a driver that is started again needs nothing else.
Exit status: 0 when the plan is complete, 78 when the programs must not work on this run.
"""

import argparse
import collections
import queue
import subprocess
import sys
import threading
import time

REFUSED = 78  # as tengen-train says: trying again will not help


class Refused(Exception):
    """The program must not work on this run."""


class Player:
    """One worker process, started when its first ticket comes and again after it ended."""

    def __init__(self, command):
        self.command = command
        self.process = None

    def play(self, ticket):
        """Plays a ticket, or none, to say that it is there. Raises Refused, or RuntimeError when the
        process ended."""
        if ticket is None:
            return
        if self.process is None or self.process.poll() is not None:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, text=True)
        try:
            self.process.stdin.write(ticket + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer == f"done {ticket}\n":
            return
        status = self.process.wait()
        if status == REFUSED:
            raise Refused(f"{self.command[0]} refused to work on this run; its log says why")
        raise RuntimeError(f"{ticket}: the worker ended with status {status}")


def watch(command, tickets):
    """Passes the names that a process prints on to a queue; None at its end."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        tickets.put(line.strip())
    tickets.put(process.wait())


class Pool:
    """Gives each idle worker the next ticket; a failed one goes to the end of the queue.

    `start` makes a worker, `send(worker, ticket)` returns a handle, and `wait(handles, seconds)`
    those of them that are finished, with an exception or None each. The first ticket of a worker is
    None: one for which Ray has no place yet must not hold a ticket.
    """

    def __init__(self, count, start, send, wait, log=lambda text: None):
        self.start, self.send, self.wait, self.log = start, send, wait, log
        self.idle, self.open = [], collections.deque()
        self.busy = {}  # handle: (worker, ticket or None)
        self.done = 0
        for _ in range(count):
            self.hire()

    def hire(self):
        worker = self.start()
        self.busy[self.send(worker, None)] = (worker, None)

    def has_work(self):
        return bool(self.open) or any(ticket for _, ticket in self.busy.values())

    def step(self, seconds):
        """Hands out what it can, and waits for results for a while."""
        while self.idle and self.open:
            worker, ticket = self.idle.pop(), self.open.popleft()
            self.busy[self.send(worker, ticket)] = (worker, ticket)
        if not self.busy:
            time.sleep(seconds)
            return
        for handle, error in self.wait(list(self.busy), seconds):
            worker, ticket = self.busy.pop(handle)
            if isinstance(error, Refused):
                raise error
            if error is None:
                self.done += ticket is not None
                self.idle.append(worker)
                continue
            self.log(f"{ticket or 'a worker'} again: {error}")
            if ticket is not None:
                self.open.append(ticket)
            time.sleep(seconds / 5)
            self.hire()


def drive(pool, tickets):
    """Plays all tickets of a queue until its end; returns the status of what filled it."""
    status = None
    while status is None or pool.has_work():
        try:
            while status is None:
                ticket = tickets.get_nowait()
                if isinstance(ticket, int):
                    status = ticket
                else:
                    pool.open.append(ticket)
        except queue.Empty:
            pass
        pool.step(0.5)
    return status


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
    command = [options.program, "work", "--run", options.run, "--tickets", "-"]
    command += ["--threads", str(max(1, round(options.cpus)))]
    if options.gpus > 0:
        command += ["--device", "cuda", "--gpus", str(options.gpus)]
    return command


def main():
    options = parse(None)
    import ray  # late, so that --help and the tests need no Ray

    ray.init(address=options.address, logging_level="warning")
    actor = ray.remote(num_cpus=options.cpus, num_gpus=options.gpus, max_restarts=0)(Player)

    def wait(handles, seconds):
        finished, _ = ray.wait(handles, num_returns=1, timeout=seconds)
        for handle in finished:
            try:
                ray.get(handle)
                yield handle, None
            except ray.exceptions.RayTaskError as error:
                yield handle, error.cause if isinstance(error.cause, Refused) else error
            except ray.exceptions.RayError as error:
                yield handle, error

    tickets = queue.Queue()
    command = [options.program, "tickets", "--run", options.run, "--watch"]
    threading.Thread(target=watch, args=(command, tickets), daemon=True).start()
    pool = Pool(
        options.workers,
        start=lambda: actor.remote(work_command(options)),
        send=lambda worker, ticket: worker.play.remote(ticket),
        wait=wait,
        log=lambda text: print(text, file=sys.stderr, flush=True),
    )
    try:
        status = drive(pool, tickets)
    except Refused as error:
        print(f"drive.py: {error}", file=sys.stderr)
        status = REFUSED
    print(f"{pool.done} tickets played")
    return status


if __name__ == "__main__":
    sys.exit(main())
