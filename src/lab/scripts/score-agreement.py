#!/usr/bin/env python3
"""Compares the scores of finished games of Go between GNU Go and Tengen.

Plays games between engines of different strength (GNU Go on levels 1 to 10, Tengen with few and many
playouts), asks GNU Go for score and dead stones of each finished position, keeps both in a file of one
JSON object a line, and then asks Tengen. Goes on where it left off; only Tengen's answers are asked again.

    src/lab/scripts/score-agreement.py --games 500 --out /tmp/score-agreement.jsonl \\
        --referee "target/release/tengen gtp --game go --backend rollout --visits 20000"
"""
import argparse
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

# Debian installs games outside the usual search path.
WHERE = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
GNUGO = "gnugo --mode gtp --chinese-rules --positional-superko --never-resign --level {level} --seed {seed}"
TENGEN = "target/release/tengen gtp --game go --backend rollout --resign-below off --seed {seed}"
LEVELS = [1, 1, 1, 5, 10]
VISITS = {"rollout": [100, 500], "auto": [1, 50, 400]}
# Shares of random moves, so that boards contain unusual stones.
BLUNDERS = [0, 0, 0, 0.1, 0.3, 1]
OTHER = {"b": "w", "w": "b"}


class Refused(Exception):
    pass


class Engine:
    """One engine, controlled by GTP."""

    def __init__(self, command):
        words = shlex.split(command)
        program = shutil.which(words[0], path=WHERE)
        if program is None:
            sys.exit(f"there is no program {words[0]}" + (": apt install gnugo" if words[0] == "gnugo" else ""))
        self.process = subprocess.Popen(
            [program, *words[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"an engine ended when it was asked `{command}`")
            line = line.rstrip()
            if line:
                lines.append(line)
            elif lines:
                break
        text = "\n".join(lines)
        if text.startswith("?"):
            raise Refused(f"{command}: {text}")
        return text[1:].strip()

    def begin(self, size, komi, moves=()):
        self.ask(f"boardsize {size}")
        self.ask("clear_board")
        self.ask(f"komi {komi}")
        color = "b"
        for move in moves:
            self.ask(f"play {color} {move}")
            color = OTHER[color]

    def verdict(self):
        dead = self.ask("final_status_list dead").upper().split()
        return {"score": self.ask("final_score").split()[0], "dead": sorted(dead)}

    def quit(self):
        self.ask("quit")
        self.process.wait()


class Side:
    """An engine that occasionally plays a random move."""

    def __init__(self, name, command, blunders, draw):
        self.name = name + (f" ({blunders:.0%} at random)" if blunders else "")
        self.engine, self.blunders, self.draw = Engine(command), blunders, draw

    def genmove(self, color, size, answers_pass):
        """A move, played on the engine's own board."""
        # A random player would never stop.
        if self.draw.random() < self.blunders and not answers_pass:
            points = [f"{column}{row + 1}" for column in "ABCDEFGHJKLMNOPQRST"[:size] for row in range(size)]
            for point in self.draw.sample(points, 20):
                try:
                    self.engine.ask(f"play {color} {point}")
                    return point
                except Refused:
                    continue
        return self.engine.ask(f"genmove {color}").upper()


def side(number, draw, args):
    """One player of the game of this number."""
    blunders, kind = draw.choice(BLUNDERS), draw.choice(["gnugo", "rollout", "auto"])
    if kind == "gnugo":
        level = draw.choice(LEVELS)
        return Side(f"GNU Go {level}", GNUGO.format(level=level, seed=number + 1), blunders, draw)
    visits = draw.choice(VISITS[kind])
    command = f"{args.player} --backend {kind} --visits {visits} --threads 1 --seed {number + 1}"
    name = {"rollout": "playouts", "auto": "network"}[kind]
    return Side(f"{name} {visits}", command, blunders, draw)


def play(number, size, args):
    """One game and its players; no game if it does not end with two passes."""
    draw = random.Random(number)
    sides = {color: side(number, draw, args) for color in "bw"}
    for each in sides.values():
        each.engine.begin(size, args.komi)
    moves, passes, color = [], 0, "b"
    while passes < 2 and len(moves) < 3 * size * size:
        try:
            move = sides[color].genmove(color, size, passes > 0)
            if move == "RESIGN":
                break
            sides[OTHER[color]].engine.ask(f"play {color} {move}")
        except Refused:
            # GNU Go and Tengen need not agree on superko.
            break
        moves.append(move)
        passes = passes + 1 if move == "PASS" else 0
        color = OTHER[color]
    for each in sides.values():
        each.engine.quit()
    return (moves if passes == 2 else None), [each.name for each in sides.values()]


def entry_of(number, args):
    """One finished game with GNU Go's result; None if it does not end with two passes."""
    size = args.sizes[number % len(args.sizes)]
    moves, names = play(number, size, args)
    if moves is None:
        return None
    judge = Engine(GNUGO.format(level=10, seed=1))
    judge.begin(size, args.komi, moves)
    verdict = judge.verdict()
    judge.quit()
    return {"number": number, "size": size, "players": names, "moves": moves, "gnugo": verdict}


def collect(args):
    """The games of the file, and more up to the requested number."""
    entries = []
    if os.path.exists(args.out):
        with open(args.out, encoding="utf-8") as file:
            entries = [json.loads(line) for line in file if line.endswith("\n")]
    known = max((entry["number"] for entry in entries), default=-1)
    with open(args.out, "a", encoding="utf-8") as file, ThreadPoolExecutor(args.jobs) as pool:
        while len(entries) < args.games:
            numbers = range(known + 1, known + 1 + 8 * args.jobs)
            known = numbers[-1]
            games = [pool.submit(entry_of, number, args) for number in numbers]
            for game in as_completed(games):
                entry = game.result()
                if entry is not None:
                    entries.append(entry)
                    file.write(json.dumps(entry) + "\n")
                    file.flush()
    return entries[: args.games]


def margin(score):
    """Black's lead in points."""
    return 0.0 if score[0] == "0" else float(score[2:]) * (1 if score[0] == "B" else -1)


def play_on(entry, komi, first, args):
    """Black's points less White's on the board after the referee has played both sides to the end, `first` beginning.

    Under Tromp-Taylor rules, where what is not taken counts, and with a komi that makes the winner depend on what is
    disputed."""
    engine = Engine(args.referee)
    engine.ask("kata-set-rules tromp-taylor")
    moves = entry["moves"]
    while moves and moves[-1] == "PASS":
        moves = moves[:-1]
    engine.begin(entry["size"], komi, moves)
    color, passes, plies = first, 0, 0
    while passes < 2 and plies < 3 * entry["size"] ** 2:
        passes = passes + 1 if engine.ask(f"genmove {color}").upper() == "PASS" else 0
        color, plies = OTHER[color], plies + 1
    points = margin(engine.ask("final_score")) + komi
    engine.quit()
    return points


def arbitrate(entry, own, args):
    """The engine confirmed by playing on with either side to move."""
    theirs, ours = (margin(score) + args.komi for score in (entry["gnugo"]["score"], own["score"]))
    if theirs == ours:
        return "the same score"
    between = (theirs + ours) // 2 + 0.5
    ends = {first: play_on(entry, between, first, args) for first in "bw"}
    right = {"GNU Go" if (points > between) == (theirs > ours) else "Tengen" for points in ends.values()}
    who = f"{right.pop()} is right" if len(right) == 1 else "the first move decides"
    return f"{who}: played on, Black first {ends['b']:+g}, White first {ends['w']:+g}, between them {between:+g}"


def compare(entry, args):
    """Whether Tengen reports the same score and dead stones, and a message if it does not."""
    engine = Engine(args.tengen.format(seed=1))
    try:
        engine.ask("kata-set-rules chinese")
    except Refused:
        pass
    engine.begin(entry["size"], args.komi, entry["moves"])
    own, theirs = engine.verdict(), entry["gnugo"]
    lines = []
    if own != theirs:
        ours_only, theirs_only = (set(a["dead"]) - set(b["dead"]) for a, b in ((own, theirs), (theirs, own)))
        lines.append(
            f"game {entry['number']} {entry['size']}x{entry['size']}, {' - '.join(entry.get('players', ['?']))}: "
            f"GNU Go {theirs['score']}, Tengen {own['score']}; dead for GNU Go only: "
            f"{' '.join(sorted(theirs_only)) or '-'}; for Tengen only: {' '.join(sorted(ours_only)) or '-'}"
        )
        if args.referee:
            lines.append("    " + arbitrate(entry, own, args))
        if args.boards:
            lines.append(engine.ask("showboard"))
    engine.quit()
    return own["score"] == theirs["score"], own["dead"] == theirs["dead"], lines


def report(entries, args):
    """Asks Tengen and prints the differences."""
    same = {}
    with ThreadPoolExecutor(args.jobs) as pool:
        for entry, found in zip(entries, pool.map(lambda entry: compare(entry, args), entries)):
            same.setdefault(entry["size"], []).append(found[:2])
            for line in found[2]:
                print(line, flush=True)
    for size, found in sorted(same.items()) + [("all", sum(same.values(), []))]:
        scores, dead = (sum(column) for column in zip(*found))
        print(f"{size}: {len(found)} games: the same score in {scores}, the same dead stones in {dead}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=[9, 9, 9, 9, 13])
    parser.add_argument("--komi", type=float, default=7.5)
    parser.add_argument("--tengen", default=TENGEN, help="command line of Tengen that counts, with {seed}")
    parser.add_argument("--player", default="target/release/tengen gtp --game go --resign-below off", help="Tengen that plays")
    parser.add_argument("--out", required=True, help="the file of games")
    parser.add_argument("--jobs", type=int, default=1, help="games played, and positions counted, at once")
    parser.add_argument("--referee", help="an engine that plays disputed positions on, and so says who is right")
    parser.add_argument("--only", type=int, nargs="+", help="count these games only")
    parser.add_argument("--boards", action="store_true", help="show positions that are counted differently")
    args = parser.parse_args()
    entries = collect(args)
    report([entry for entry in entries if not args.only or entry["number"] in args.only], args)


if __name__ == "__main__":
    main()
