#!/usr/bin/env python3
"""Compares the forbidden moves of Renju between Tengen and another engine.

Draws positions of 15x15 at random, with Black to move and no five on the board, and asks both for the points
where Black may not play. The other engine speaks the Gomocup protocol with Yixin's additions YXBOARD and
YXSHOWFORBID, as Rapfi does (github.com/dhbloo/rapfi). It is started in the folder of its program, where
it looks for its files. Ends with code 1 if the two differ.

    src/lab/scripts/renju-agreement.py --positions 50000 --other /path/to/pbrain-rapfi
    src/lab/scripts/renju-agreement.py --positions 50000 --other /path/to/pbrain-rapfi --dense
"""
import argparse
import pathlib
import random
import shlex
import subprocess
import sys

SIDE = 15
COLUMNS = "ABCDEFGHJKLMNOP"
POINTS = [(x, y) for x in range(SIDE) for y in range(SIDE)]
# If no free point is found in this many draws the position is drawn again.
TRIES = 50
# Number of positions shown.
SHOWN = 5


class Engine:
    """A program that answers lines with lines."""

    def __init__(self, command, folder=None):
        self.command = command
        try:
            self.process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        except OSError as error:
            sys.exit(f"{command[0]}: {error.strerror}")

    def say(self, text):
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            sys.exit(f"{self.command[0]} ended")

    def line(self, is_wanted):
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"{self.command[0]} ended")
            if is_wanted(line.strip()):
                return line.strip()

    def gtp(self, command):
        self.say(command)
        answer = self.line(bool)
        if not answer.startswith("="):
            sys.exit(f"{command.split()[0]}: {answer}")
        return answer[1:].split()


def vertex(point):
    return f"{COLUMNS[point[0]]}{point[1] + 1}"


def makes_five(stones, point):
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for way in (1, -1):
            x, y = point[0] + way * dx, point[1] + way * dy
            while (x, y) in stones:
                length, x, y = length + 1, x + way * dx, y + way * dy
        if length >= 5:
            return True
    return False


def draw(rng, dense):
    """As many black stones as white ones: Black's within a square, White's partly or all over the board."""
    side = rng.choice([7, 8, 9] if dense else [6, 7, 8, 10, SIDE])
    left, low = rng.randint(0, SIDE - side), rng.randint(0, SIDE - side)
    strewn = rng.choice([0.8, 1.0]) if dense else rng.random()
    count = rng.randint(10, 20) if dense else rng.randint(5, min(45, side * side // 3))
    black, white = set(), set()
    for _ in range(count):
        for stones in (black, white):
            for _ in range(TRIES):
                if stones is white and rng.random() < strewn:
                    point = (rng.randrange(SIDE), rng.randrange(SIDE))
                else:
                    point = (left + rng.randrange(side), low + rng.randrange(side))
                if point not in black and point not in white and not makes_five(stones, point):
                    stones.add(point)
                    break
            else:
                return None
    return black, white


def forbidden_by_tengen(engine, black, white):
    engine.gtp("clear_board")
    stones = [f"{color} {vertex(p)}" for color, points in (("B", black), ("W", white)) for p in points]
    engine.gtp("gogui-setup " + " ".join(stones))
    engine.gtp("gogui-setup_player b")
    legal = set(engine.gtp("gogui-rules_legal_moves"))
    return {vertex(p) for p in POINTS if p not in black | white} - legal


def forbidden_by_other(engine, black, white):
    stones = [f"{b[0]},{b[1]},1\n{w[0]},{w[1]},2" for b, w in zip(black, white)]
    engine.say("\n".join(["YXBOARD", *stones, "DONE", "YXSHOWFORBID"]))
    digits = engine.line(lambda line: line.startswith("FORBID"))[len("FORBID") :].strip(" .")
    return {vertex((int(digits[i : i + 2]), int(digits[i + 2 : i + 4]))) for i in range(0, len(digits), 4)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=10000, help="positions [10000]")
    parser.add_argument("--seed", type=int, default=1, help="the same seed draws the same positions [1]")
    parser.add_argument("--dense", action="store_true", help="black stones close together: twice as many fouls")
    parser.add_argument("--other", required=True, help="the other engine's program")
    parser.add_argument("--tengen", default="target/release/tengen", help="Tengen's program [target/release/tengen]")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    tengen = Engine(shlex.split(args.tengen) + "gtp --game gomoku --rules renju --size 15 --backend rollout".split())
    program = pathlib.Path(args.other).resolve()
    other = Engine([str(program)], program.parent)
    other.say(f"INFO thread_num 1\nINFO rule 4\nSTART {SIDE}")
    other.line(lambda line: line == "OK")
    done = fouls = differing = 0
    while done < args.positions:
        position = draw(rng, args.dense)
        if position is None:
            continue
        black, white = (sorted(stones) for stones in position)
        ours, theirs = (ask(engine, *position) for ask, engine in ((forbidden_by_tengen, tengen), (forbidden_by_other, other)))
        done += 1
        fouls += len(ours)
        differing += ours != theirs
        if ours != theirs and differing <= SHOWN:
            print(f"Tengen alone: {sorted(ours - theirs)}, the other alone: {sorted(theirs - ours)}")
            print(f"  B {' '.join(map(vertex, black))}\n  W {' '.join(map(vertex, white))}")
    print(f"{done} positions, {fouls} forbidden points, {differing} positions differ")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
