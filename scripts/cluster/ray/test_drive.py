"""Tests of drive.py without Ray: python -m unittest discover scripts/cluster/ray"""

import queue
import stat
import tempfile
import unittest
from pathlib import Path

import drive

WORKER = """#!/usr/bin/env python3
import sys
for line in sys.stdin:
    name = line.strip()
    if name == "dies":
        sys.exit(9)
    if name == "refused":
        sys.exit(78)
    print("done " + name, flush=True)
"""


class Fake:
    """Workers that are called at once; the tickets in `fails` fail the first time, and workers of
    numbers above `places` are never there."""

    def __init__(self, fails=(), places=99):
        self.fails, self.started, self.played, self.places = list(fails), 0, [], places
        self.results = {}

    def start(self):
        self.started += 1
        return self.started

    def send(self, worker, ticket):
        error = None
        if ticket in self.fails:
            self.fails.remove(ticket)
            error = RuntimeError("killed")
        elif ticket is not None:
            self.played.append(ticket)
        handle = object()
        if worker <= self.places:
            self.results[handle] = error
        return handle

    def wait(self, handles, seconds):
        return [(handle, self.results[handle]) for handle in handles if handle in self.results]


class Drive(unittest.TestCase):
    def drive(self, fake, tickets, workers=2):
        filled = queue.Queue()
        for ticket in tickets:
            filled.put(ticket)
        pool = drive.Pool(workers, fake.start, fake.send, fake.wait)
        return drive.drive(pool, filled), pool

    def test_every_ticket_is_played_once(self):
        fake = Fake()
        status, pool = self.drive(fake, ["a", "b", "c", "d", "e", 0])
        self.assertEqual((status, pool.done, sorted(fake.played)), (0, 5, list("abcde")))
        self.assertEqual(fake.started, 2)

    def test_a_failed_ticket_is_played_by_a_new_worker(self):
        fake = Fake(fails=["b", "b", "c"])
        status, pool = self.drive(fake, ["a", "b", "c", 0])
        self.assertEqual((status, pool.done, sorted(fake.played)), (0, 3, list("abc")))
        self.assertEqual(fake.started, 5)

    def test_a_worker_without_a_place_holds_no_ticket(self):
        fake = Fake(places=1)
        status, pool = self.drive(fake, ["a", "b", "c", 0], workers=3)
        self.assertEqual((status, pool.done, sorted(fake.played)), (0, 3, list("abc")))

    def test_the_status_of_the_list_of_tickets_is_told(self):
        self.assertEqual(self.drive(Fake(), [78])[0], 78)

    def test_a_player_owns_a_process_and_says_how_it_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            worker = Path(folder) / "worker"
            worker.write_text(WORKER)
            worker.chmod(worker.stat().st_mode | stat.S_IXUSR)
            player = drive.Player([str(worker)])
            player.play(None)
            self.assertIsNone(player.process)
            player.play("a")
            first = player.process.pid
            player.play("b")
            self.assertEqual(player.process.pid, first)
            with self.assertRaisesRegex(RuntimeError, "dies: the worker ended with status 9"):
                player.play("dies")
            player.play("c")
            with self.assertRaises(drive.Refused):
                player.play("refused")
            tickets = queue.Queue()
            drive.watch(["sh", "-c", "echo x; echo y; exit 3"], tickets)
            self.assertEqual([tickets.get() for _ in range(3)], ["x", "y", 3])

    def test_commands_of_workers(self):
        options = drive.parse(["--run", "s3://b/r", "--workers", "4", "--gpus", "0.25"])
        command = " ".join(drive.work_command(options))
        self.assertEqual(
            command,
            "tengen-train work --run s3://b/r --tickets - --threads 1 --device cuda --gpus 0.25",
        )


if __name__ == "__main__":
    unittest.main()
