#!/usr/bin/env python3
"""Openings for a teacher's games on 15x15: positions of recorded games, and one to three moves after them that are drawn
from the network's policy. So the teacher shows what is right where a search of Tengen goes, which its own games do not.

    scripts/gomoku-openings.py RULES COUNT SEED RECORDS... > openings.txt

RECORDS are folders of tengen-match and texts of `pbrain-rapfi selfplay --output-type txt`; RULES are those of Tengen
(`freestyle`, `standard`, `renju`), and all records must be by them. A line of the output is one opening, as `h8i9j10`,
which Rapfi takes with `selfplay --opening`. `target/release/tengen` must have been built.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

COLUMNS = "ABCDEFGHJKLMNOPQRST"
SIZE = 15
# Later positions than this are mostly decided, as are the last moves of a game.
LAST_PLY = 56
LEFT_OUT_AT_THE_END = 3
MIN_PROBABILITY = 0.003
TEMPERATURE = 1.3


def games_of_matches(folder):
    """The moves of each game, as (column, row), and the length of its opening."""
    for line in (folder / "results.jsonl").read_text().splitlines():
        game = json.loads(line)
        if "moves" in game:
            moves = [(COLUMNS.index(m[0]), int(m[1:]) - 1) for m in game["moves"].split() if m != "pass"]
            yield moves, game["opening_len"]


def games_of_text(path):
    """The same of a text with a position a line; the last line of a game has all of its moves but one."""
    moves, opening = [], 0
    for line in path.read_text().splitlines():
        now = [(ord(m[0]) - ord("A"), int(m[1:]) - 1) for m in re.findall(r"[A-Z]\d+", line.split(",")[2])]
        if now[: len(moves)] != moves:
            yield moves, opening
            opening = len(now)
        moves = now
    yield moves, opening


class Engine:
    def __init__(self, rules):
        command = ["target/release/tengen", "gtp", "--game", "gomoku", "--size", str(SIZE), "--rules", rules]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, command):
        """The lines of the answer; None if it is an error."""
        self.process.stdin.write(command + "\n")
        lines = []
        while not lines or lines[-1].strip():
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the engine has ended at {command!r}")
            lines.append(line.rstrip())
        return lines[:-1] if lines[0].startswith("=") else None

    def play(self, moves):
        """Sets up a position; whether all of its moves are legal."""
        self.ask("clear_board")
        colors = ("bw"[i % 2] for i in range(len(moves)))
        return all(self.ask(f"play {c} {COLUMNS[x]}{y + 1}") is not None for c, (x, y) in zip(colors, moves))

    def draw(self, rng):
        """A move drawn from the network's policy; None in a finished game."""
        answer = self.ask("kata-raw-nn 0")
        if answer is None:
            return None
        first = answer.index("policy") + 1
        rows = [answer[first + SIZE - 1 - y].split() for y in range(SIZE)]
        points = {(x, y): float(p) for y in range(SIZE) for x, p in enumerate(rows[y]) if p != "NAN"}
        likely = {point: p ** (1 / TEMPERATURE) for point, p in points.items() if p > MIN_PROBABILITY}
        return rng.choices(list(likely), list(likely.values()))[0] if likely else None


def opening(engine, rng, games):
    """One opening; None if the game drawn has no position for it."""
    moves, start = rng.choice(games)
    last = min(len(moves) - LEFT_OUT_AT_THE_END, LAST_PLY)
    if last < start:
        return None
    moves = moves[: rng.randint(start, last)]
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        move = engine.draw(rng) if engine.play(moves) else None
        if move is None:
            return None
        moves = [*moves, move]
    return moves if engine.play(moves) and engine.draw(rng) else None


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    rules, count, rng = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]))
    records = [Path(name) for name in sys.argv[4:]]
    games = [game for path in records for game in (games_of_matches if path.is_dir() else games_of_text)(path)]
    if not games:
        sys.exit("no game in these records")
    engine = Engine(rules)
    while count > 0:
        moves = opening(engine, rng, games)
        if moves:
            print("".join(f"{chr(ord('a') + x)}{y + 1}" for x, y in moves), flush=True)
            count -= 1


if __name__ == "__main__":
    main()
