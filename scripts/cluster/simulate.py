#!/usr/bin/env python3
"""How a training run scales: simulates workers, learner and store of docs/training.md#many-machines.

    python simulate.py --games 266 --games-per-second 2.3 --fit 12.6 --workers 1,10,100,1000

Workers claim tickets as tengen-train work does: one list, a claim at a random place, the games, the
result. The learner waits for all results of a generation, fits, and offers the next one; with --ahead
workers play meanwhile. Times of requests are those measured with --store (default: an object store).
"""

import argparse
import heapq
import random

# Seconds of a create, a get and a list: medians measured by boto3, and what providers state.
STORES = {"folder": (0.008, 0.0002, 0.0005), "seaweedfs": (0.004, 0.0024, 0.013), "s3": (0.05, 0.03, 0.06)}


class Run:
    """A run with equal generations."""

    def __init__(self, options, workers):
        self.o, self.workers = options, workers
        self.random = random.Random(1)
        self.create, self.get, self.list = STORES[options.store]
        self.requests = 0
        self.open = {}  # generation: unclaimed tickets
        self.left = {}  # generation: tickets without a result
        self.finished = {}  # generation: when its last result was created
        self.events = []
        self.busy = 0.0
        self.order = 0

    def tickets(self):
        whole, rest = divmod(self.o.games, self.o.ticket)
        return [self.o.ticket] * whole + ([rest] if rest else [])

    def at(self, time, action, *arguments):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, action, arguments))

    def publish(self, now, generation):
        if generation < self.o.generations and generation not in self.open:
            self.open[generation] = self.tickets()
            self.left[generation] = len(self.open[generation])
            self.requests += 2  # network and offer

    def worker(self, now, wait):
        """A free worker looks for a ticket."""
        pages = 1 + 3 * len(self.tickets()) // 1000
        self.requests += pages
        now += pages * self.list
        for generation in sorted(self.open):
            tickets = self.open[generation]
            if self.left[generation] and tickets:
                # Others that looked at the same time may have been faster.
                self.requests += 1
                games = tickets.pop(self.random.randrange(len(tickets)))
                seconds = games / self.o.games_per_second * self.random.uniform(0.9, 1.1)
                self.busy += seconds
                self.requests += seconds / 15 + seconds / 5  # reports, and looks for the ticket's result
                self.at(now + self.create + seconds + self.create, self.result, generation)
                return
        if len(self.finished) < self.o.generations:
            self.requests += 1  # the next generation
            wait = min(2 * wait, 5)
            self.at(now + self.list + wait, self.worker, wait)

    def result(self, now, generation):
        self.requests += 1
        self.left[generation] -= 1
        if self.left[generation] == 0:
            self.finished[generation] = now
            # The learner looks every 5 s at most, and reads all shards while they come.
            self.at(now + 2.5 + self.get, self.fit, generation)
        self.worker(now, 0.125)

    def fit(self, now, generation):
        if generation in self.finished and (generation == 0 or generation - 1 in self.fitted):
            self.requests += len(self.tickets())  # gets
            self.at(now + self.o.fit, self.done, generation)

    def done(self, now, generation):
        self.fitted[generation] = now
        self.requests += 4
        for following in range(generation + 1, generation + 2 + self.o.ahead):
            self.publish(now, following)
        if generation + 1 in self.finished:
            self.at(now, self.fit, generation + 1)

    def run(self):
        self.fitted = {}
        for generation in range(1 + self.o.ahead):
            self.publish(0.0, generation)
        for _ in range(self.workers):
            self.at(self.random.uniform(0, 1), self.worker, 0.125)
        now = 0.0
        while self.events and len(self.fitted) < self.o.generations:
            now, _, action, arguments = heapq.heappop(self.events)
            action(now, *arguments)
        return {
            "hours": now / 3600,
            "games/s": self.o.generations * self.o.games / now,
            "busy": self.busy / (now * self.workers),
            "requests/s": self.requests / now,
            "fit share": self.o.generations * self.o.fit / now,
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", default="1,10,100,1000")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--games", type=int, required=True, help="of a generation")
    parser.add_argument("--ticket", type=int, default=50, help="games of a ticket [50]")
    parser.add_argument("--games-per-second", type=float, required=True, help="of one worker")
    parser.add_argument("--fit", type=float, required=True, help="seconds of a fit, with rating")
    parser.add_argument("--ahead", type=int, default=0)
    parser.add_argument("--store", choices=STORES, default="s3")
    options = parser.parse_args()
    print("workers    hours  games/s   busy  requests/s  learner fits")
    for workers in map(int, options.workers.split(",")):
        r = Run(options, workers).run()
        print(
            f"{workers:7d} {r['hours']:8.3f} {r['games/s']:8.2f} {r['busy']:6.1%}"
            f" {r['requests/s']:11.2f} {r['fit share']:13.1%}"
        )


if __name__ == "__main__":
    main()
