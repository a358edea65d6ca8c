"""Shares the time of an endurance run among its parts, keeps their figures, and writes the report."""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import time
import traceback

import board
import faults
import parts
from players import Fault

GAMES = ["nogo", "go", "gomoku"]
TARGETS = {"protocols": 4096, "sgf": 4096, "files": 60000, "training": 8192, "networks": 2000000}  # Longest inputs.
ROUND = 3600  # Seconds of a round at most: each part has its share of each round.
FUZZING = 0.5
PAUSE = 60  # Seconds at least from a start to the next after a fault: a part may fail at once, and would do nothing else.
# Until a process has played so many of a game, its memory is not known: without a network, and with one.
MEMORY_GAMES, NETWORK_GAMES = 10000, 3000


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("bin", "out", "fuzz"):
        parser.add_argument(f"--{name}", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--hours", type=float)
    parser.add_argument("--only", nargs="*", default=[])
    return parser.parse_args()


def processor_seconds():
    """Of this program, and of all that have ended."""
    return sum(sum(resource.getrusage(whose)[:2]) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Run:
    def __init__(self, options):
        self.options, self.out = options, options.out
        self.end = time.monotonic() + 3600 * options.hours
        self.slices = self.out / "slices.jsonl"
        (self.out / "faults").mkdir(parents=True, exist_ok=True)
        # A line that was cut off by a kill is lost: the next one would continue it.
        kept = self.slices.read_bytes() if self.slices.exists() else b""
        self.slices.write_bytes(kept[: kept.rfind(b"\n") + 1])

    def done(self):
        return [json.loads(line) for line in self.slices.read_text(encoding="utf-8").splitlines()]

    def slice(self, name, seconds, work):
        """Lets a part work for some seconds; what it did is kept, and a fault with all that led to it."""
        if self.options.only and name.split()[0] not in self.options.only:
            return
        start, used = time.monotonic(), processor_seconds()
        until = min(self.end, start + seconds)
        if until - start < 1:
            return
        seed = time.time_ns() % 2**32
        figures = {}
        try:
            work(until, random.Random(seed), figures)
        except Exception as fault:  # An answer that cannot be understood is a fault, too.
            figures["faults"] = 1
            kept = self.out / "faults" / f"{name.replace(' ', '-')}-{seed}.txt"
            trace = "" if isinstance(fault, Fault) else traceback.format_exc()
            kept.write_text(f"{fault}\n{trace}", encoding="utf-8")
            print(f"a fault in {name}: {kept}", flush=True)
            time.sleep(max(0, min(self.end, start + PAUSE) - time.monotonic()))
        line = {"part": name, "seconds": round(time.monotonic() - start), "processor": round(processor_seconds() - used),
                "seed": seed, **figures}
        with self.slices.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        (self.out / "report.md").write_text(report(self.done()), encoding="utf-8")

    def fuzz(self, target):
        def work(until, _, figures):
            corpus = self.out / "fuzz" / target
            corpus.mkdir(parents=True, exist_ok=True)
            command = [
                self.options.fuzz / target, corpus, self.options.fuzz / f"seeds-{target}",
                f"-max_len={TARGETS[target]}", "-timeout=1200", f"-max_total_time={max(1, int(until - time.monotonic()))}",
                f"-artifact_prefix={self.out}/faults/{target}-", "-print_final_stats=1",
            ]
            if target != "networks":
                command.append(f"-dict={self.options.fuzz / 'words.dict'}")
            log = self.out / f"fuzz-{target}.log"
            with log.open("wb") as file:
                code = subprocess.run(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL).returncode
            text = log.read_text(errors="replace")
            executed = re.findall(r"number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)", text, re.M) or [0]
            # The first are those of what earlier slices have kept.
            edges = re.findall(r"INITED cov: (\d+)", text) + re.findall(r" cov: (\d+)", text) or [0]
            figures |= {"executions": int(executed[-1]), "first edges": int(edges[0]), "edges": int(edges[-1])}
            if code:
                raise Fault(f"{target} ended with {code}\n" + "\n".join(text.splitlines()[-60:]))

        return work

    def program(self, part, game, *more):
        folder = self.out / "programs"
        folder.mkdir(exist_ok=True)

        def work(until, rng, figures):
            part(str(self.options.bin / "tengen"), game, str(folder), rng, until, figures, *more)

        return work

    def on_purpose(self, _until, _rng, figures):
        figures["rows"], wrong = faults.all_of(self.options.bin, self.out / "on-purpose")
        if wrong:
            raise Fault("\n".join(wrong))

    def go(self):
        while (left := self.end - time.monotonic()) > 1:
            length = min(ROUND, left)
            rest = (1 - FUZZING) * length / len(GAMES)
            for game in GAMES:
                done, measured = self.done(), True
                for name, *enough in (f"games {game}", MEMORY_GAMES, False), (f"games {game}, network", NETWORK_GAMES, True):
                    if not any(line["part"] == name and line.get("games", 0) >= enough[0] for line in done):
                        measured = False
                        self.slice(name, rest, self.program(parts.play, game, *enough))
                if measured:
                    self.slice(f"games {game}", 0.6 * rest, self.program(parts.play, game))
                self.slice(f"sessions {game}", 0.3 * rest, self.program(parts.converse, game))
            self.slice("requests board", 0.3 * rest, self.program(board.ask, ""))
            if not any(line["part"] == "faults" for line in done):
                self.slice("faults", length, self.on_purpose)
            for target in (target for target in TARGETS if (self.options.fuzz / target).exists()):
                self.slice(f"fuzz {target}", FUZZING * length / len(TARGETS), self.fuzz(target))
        print((self.out / "report.md").read_text(encoding="utf-8"))
        return 1 if any(line.get("faults") for line in self.done()) else 0


def table(part, *heads):
    """The head of a table of figures."""
    return ["", f"| {' | '.join((part, *heads))} |", "|---" + "|---:" * len(heads) + "|"]


def row(part, *figures):
    """Its name without the kind of part."""
    cells = [f"{figure:,}" if isinstance(figure, int) else figure if isinstance(figure, str) else f"{figure:.2f}"
             for figure in figures]
    return f"| {' | '.join((part.partition(' ')[2], *cells))} |"


def report(lines):
    """One page: what was done, and what was found."""
    total, most, first = collections.defaultdict(collections.Counter), collections.Counter(), {}
    longest = {}
    for line in lines:
        part = line["part"]
        for key, value in line.items():
            if isinstance(value, (int, float)) and key not in ("seed", "edges") and not key.startswith(("first", "last")):
                total[part][key] += value
        first.setdefault(part, line.get("first edges", 0))
        most[part] = max(most[part], line.get("edges", 0))
        if line.get("games", 0) > longest.get(part, {}).get("games", 0):
            longest[part] = line

    def sums(kind, *keys):
        """A line for each part of this kind, with these sums."""
        return [row(part, of["seconds"] / 3600, of["processor"] / 3600, *(of[key] for key in keys))
                for part, of in total.items() if part.startswith(kind)]

    text = ["# Endurance run", "", f"{sum(line['seconds'] for line in lines) / 3600:.2f} hours in {len(lines)} slices, "
            f"{sum(line.get('faults', 0) for line in lines)} faults (`faults/`)."]
    text += table("fuzzing", "hours", "of a processor", "executions", "edges at first", "edges", "faults")
    text += [row(part, of["seconds"] / 3600, of["processor"] / 3600, of["executions"], first[part], most[part], of["faults"])
             for part, of in total.items() if part.startswith("fuzz")]
    text += table("games", "hours", "of a processor", "games", "moves of programs", "moves at random", "comparisons", "faults")
    text += sums("games", "games", "moves", "random moves", "comparisons", "faults")
    text += table("most games in one process", "games", *(f"{what}, {of} thousand" for what in ("MiB", "at most", "files")
                                                            for of in ("first", "last")))
    text += [row(part, line["games"], *(line[f"{of} {what}"] / unit for what, unit in (("KiB", 1024), ("most KiB", 1024), ("files", 1))
                                        for of in ("first", "last")))
             for part, line in longest.items() if "last most KiB" in line]
    text += table("conversations", "hours", "of a processor", "commands", "searches", "refusals", "moves under a clock",
                  "late", "faults")
    text += sums("sessions", "commands", "searches", "refusals", "timed", "late", "faults")
    text += table("requests", "hours", "of a processor", "requests", "refused", "faults")
    text += sums("requests", "requests", "refusals", "faults")
    rows = [cells for line in lines for cells in line.get("rows", [])]
    if rows:
        text += ["", "| fault on purpose | program | what happened | what was lost | what was said |", "|---|---|---|---|---|"]
        text += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in rows]
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    sys.exit(Run(arguments()).go())
