#!/usr/bin/env python3
"""Do GNU Go and Tengen count finished games of Go alike?

Plays games between engines of different strength (GNU Go on levels 1 to 10, Tengen with few and many
playouts), asks GNU Go for score and dead stones of each finished position, keeps both in a file of one
JSON object a line, and then asks Tengen. Goes on where it left off; only Tengen's answers are asked anew.

    scripts/score-agreement.py --games 500 --out /tmp/score-agreement.jsonl \\
        --referee "target/release/tengen gtp --game go --backend rollout --visits 20000"
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

GNUGO = "gnugo --mode gtp --chinese-rules --level {level} --seed {seed}"
TENGEN = "target/release/tengen gtp --game go --backend rollout --seed {seed}"
LEVELS = [1, 2, 3, 4, 5, 1, 2, 3, 4, 10]
PLAYOUTS = [100, 200, 500, 2000]
OTHER = {"b": "w", "w": "b"}


class Refused(Exception):
    pass


class Engine:
    """One engine, spoken to by GTP."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
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


def players(number, args):
    """Black's and White's command, by the game's number."""
    level = LEVELS[number % len(LEVELS)]
    gnugo = GNUGO.format(level=level, seed=number + 1)
    if number % 4 == 3:
        other = GNUGO.format(level=11 - level, seed=number + 1)
    else:
        playouts = PLAYOUTS[number // 10 % len(PLAYOUTS)]
        other = (args.tengen + " --visits {visits}").format(seed=number + 1, visits=playouts)
    return [gnugo, other] if number % 2 else [other, gnugo]


def play(number, size, args):
    """One game; None where it does not end by two passes."""
    engines = [Engine(command) for command in players(number, args)]
    for engine in engines:
        engine.begin(size, args.komi)
    moves, passes, color = [], 0, "b"
    while passes < 2 and len(moves) < 3 * size * size:
        mover, other = engines if color == "b" else engines[::-1]
        try:
            move = mover.ask(f"genmove {color}").upper()
            if move == "RESIGN":
                break
            other.ask(f"play {color} {move}")
        except Refused:
            # GNU Go knows no positional superko.
            break
        moves.append(move)
        passes = passes + 1 if move == "PASS" else 0
        color = OTHER[color]
    for engine in engines:
        engine.quit()
    return moves if passes == 2 else None


def entry_of(number, args):
    """One finished game with GNU Go's word on it; None where it does not end by two passes."""
    size = args.sizes[number % len(args.sizes)]
    moves = play(number, size, args)
    if moves is None:
        return None
    judge = Engine(GNUGO.format(level=10, seed=1))
    judge.begin(size, args.komi, moves)
    verdict = judge.verdict()
    judge.quit()
    return {"number": number, "size": size, "moves": moves, "gnugo": verdict}


def collect(args):
    """The games of the file, and as many more as are wanted."""
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
    """By how many points Black is ahead."""
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
    """Who is right, when the position is played on with either side to move."""
    theirs, ours = (margin(score) + args.komi for score in (entry["gnugo"]["score"], own["score"]))
    if theirs == ours:
        return "the same score"
    between = (theirs + ours) // 2 + 0.5
    ends = {first: play_on(entry, between, first, args) for first in "bw"}
    right = {"GNU Go" if (points > between) == (theirs > ours) else "Tengen" for points in ends.values()}
    who = f"{right.pop()} is right" if len(right) == 1 else "whoever moves first decides"
    return f"{who}: played on, Black first {ends['b']:+g}, White first {ends['w']:+g}, between them {between:+g}"


def compare(entries, args):
    """Asks Tengen and tells where it says something else."""
    engine = Engine(args.tengen.format(seed=1))
    try:
        engine.ask("kata-set-rules chinese")
    except Refused:
        pass
    same_score = same_dead = 0
    for entry in entries:
        engine.begin(entry["size"], args.komi, entry["moves"])
        own, theirs = engine.verdict(), entry["gnugo"]
        same_score += own["score"] == theirs["score"]
        same_dead += own["dead"] == theirs["dead"]
        if own != theirs:
            ours_only, theirs_only = (set(a["dead"]) - set(b["dead"]) for a, b in ((own, theirs), (theirs, own)))
            print(
                f"game {entry['number']} {entry['size']}x{entry['size']}: GNU Go {theirs['score']}, "
                f"Tengen {own['score']}; dead for GNU Go only: {' '.join(sorted(theirs_only)) or '-'}; "
                f"for Tengen only: {' '.join(sorted(ours_only)) or '-'}"
            )
            if args.referee:
                print("    " + arbitrate(entry, own, args), flush=True)
            if args.boards:
                print(engine.ask("showboard"))
    engine.quit()
    print(f"{len(entries)} games: the same score in {same_score}, the same dead stones in {same_dead}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=[9, 9, 9, 9, 13])
    parser.add_argument("--komi", type=float, default=7.5)
    parser.add_argument("--tengen", default=TENGEN, help="command line of Tengen, with {seed}")
    parser.add_argument("--out", required=True, help="the file of games")
    parser.add_argument("--jobs", type=int, default=1, help="games played at once")
    parser.add_argument("--referee", help="an engine that plays disputed positions on, and so says who is right")
    parser.add_argument("--boards", action="store_true", help="show positions that are counted differently")
    args = parser.parse_args()
    compare(collect(args), args)


if __name__ == "__main__":
    main()
