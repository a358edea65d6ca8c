#!/usr/bin/env python3
"""Checks whether an engine loses finished games of Go.

GNU Go plays itself until both sides pass. The last pass or both are taken back, komi is set so that the side to move
wins by half a point as the board stands, and the engine plays that side on against GNU Go, or against nothing but
passes, until both pass. Who has won is said by GNU Go, and counted here with its dead stones and sekis. Finished games
are kept in a file of one JSON object a line and used again.

    src/lab/scripts/finished-games.py --games 200 --out /tmp/finished.jsonl \\
        --engine "target/release/tengen gtp --game go --visits 200 --threads 1"
"""
import argparse
import importlib
import json
import os
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

agreement = importlib.import_module("score-agreement")
Engine, Refused, OTHER, margin = agreement.Engine, agreement.Refused, agreement.OTHER, agreement.margin

GNUGO = "gnugo --mode gtp --{rules}-rules --never-resign --level {level} --seed {seed}"
RULES = ["japanese", "chinese"]
COLUMNS = "ABCDEFGHJKLMNOPQRST"


class Board:
    """Stones and prisoners, for a count that needs only the dead stones and the seki from engines."""

    def __init__(self, size):
        self.size, self.stones, self.prisoners = size, {}, Counter()

    def around(self, point):
        x, y = point
        beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [(u, v) for u, v in beside if 0 <= u < self.size and 0 <= v < self.size]

    def part(self, start, same):
        """The points connected to `start` by points that are the `same`, and what is around them."""
        part, todo, border = {start}, [start], set()
        while todo:
            for point in self.around(todo.pop()):
                if not same(point):
                    border.add(point)
                elif point not in part:
                    part.add(point)
                    todo.append(point)
        return part, border

    def play(self, color, move):
        if move == "PASS":
            return
        point = self.point(move)
        self.stones[point] = color
        for own in (OTHER[color], color):
            for start in [*self.around(point), point]:
                if self.stones.get(start) == own:
                    chain, border = self.part(start, lambda at: self.stones.get(at) == own)
                    if all(at in self.stones for at in border):
                        self.prisoners[own] += len(chain)
                        for stone in chain:
                            del self.stones[stone]

    @staticmethod
    def point(move):
        return COLUMNS.index(move[0]), int(move[1:]) - 1

    def count(self, rules, dead, seki):
        """Black's lead without komi."""
        alive = {point: color for point, color in self.stones.items() if point not in dead}
        points, seen = Counter(), set()
        for start in [(x, y) for x in range(self.size) for y in range(self.size)]:
            if start in alive or start in seen:
                continue
            part, border = self.part(start, lambda at: at not in alive)
            seen |= part
            colors = {alive[at] for at in border}
            if len(colors) == 1 and (rules == "chinese" or not border & seki):
                points[colors.pop()] += len(part)
        if rules == "chinese":
            points.update(alive.values())
        else:
            taken = self.prisoners + Counter(self.stones[point] for point in dead)
            points.update({"b": taken["w"], "w": taken["b"]})
        return points["b"] - points["w"]


def gnugo(number, level, entry):
    engine = Engine(GNUGO.format(rules=entry["rules"], level=level, seed=number + 1))
    engine.begin(entry["size"], entry.get("komi", 0))
    return engine


def finished(number, args):
    """A game of GNU Go against itself, without its two passes; None if it does not end with them."""
    draw = random.Random(number)
    size = args.sizes[number // 2 % len(args.sizes)]
    entry = {"number": number, "rules": RULES[number % 2], "size": size}
    engine = gnugo(number, draw.choice([1, 4, 8, 10]), entry)
    moves, color, passes = [], "b", 0
    for _ in range(draw.choice([2, 4, 6, 10])):
        move = f"{COLUMNS[draw.randrange(1, size - 1)]}{draw.randrange(2, size)}"
        try:
            engine.ask(f"play {color} {move}")
        except Refused:
            continue
        moves.append(move)
        color = OTHER[color]
    while passes < 2 and len(moves) < 3 * size * size:
        moves.append(engine.ask(f"genmove {color}").upper())
        passes = passes + 1 if moves[-1] == "PASS" else 0
        color = OTHER[color]
    engine.quit()
    if passes < 2 or "PASS" in moves[:-2]:
        return None
    entry["moves"] = moves[:-2]
    entry["margin"] = verdict(number, entry, moves)[0]
    return entry


def verdict(number, entry, moves):
    """Black's lead without komi, by GNU Go and counted here, and GNU Go's answer."""
    judge, board, color = gnugo(number, 10, entry), Board(entry["size"]), "b"
    for move in moves:
        judge.ask(f"play {color} {move}")
        board.play(color, move)
        color = OTHER[color]
    lists = {}
    for status in ("dead", "seki"):
        lists[status] = judge.ask(f"final_status_list {status}").upper().split()
    score = margin(judge.ask("final_score").split()[0]) + entry.get("komi", 0)
    judge.quit()
    dead, seki = ({Board.point(name) for name in lists[status]} for status in ("dead", "seki"))
    return score, board.count(entry["rules"], dead, seki), lists


def trial(entry, args):
    """The engine's continuation from there."""
    number, moves = entry["number"], list(entry["moves"])
    color = "bw"[len(moves) % 2]
    if number // 4 % 3:
        # The other side has passed.
        moves.append("PASS")
        color = OTHER[color]
    if number // 4 % 3 == 2:
        opponent = None
    else:
        opponent = True
    mine = color
    komi = entry["margin"] + (-0.5 if mine == "b" else 0.5)
    begun, entry = len(moves), dict(entry, komi=komi)
    engine, reply = Engine(f"{args.engine} --seed {number + 1}"), gnugo(number, 8, entry)
    engine.ask(f"kata-set-rules {entry['rules']}")
    engine.begin(entry["size"], komi, moves)
    for index, move in enumerate(moves):
        reply.ask(f"play {'bw'[index % 2]} {move}")
    while moves[-2:] != ["PASS", "PASS"] and len(moves) < begun + 2 * entry["size"] ** 2:
        asked, told = (engine, reply) if color == mine else (reply, engine)
        move = "PASS" if asked is reply and opponent is None else asked.ask(f"genmove {color}").upper()
        if asked is reply and opponent is None:
            asked.ask(f"play {color} pass")
        if move == "RESIGN":
            break
        told.ask(f"play {color} {move}")
        moves.append(move)
        color = OTHER[color]
    own = engine.ask("final_score").split()[0] if moves[-1] != "RESIGN" else "?"
    engine.quit()
    reply.quit()
    score, counted, lists = verdict(number, entry, moves)
    sign = 1 if mine == "b" else -1
    played = [move for index, move in enumerate(moves[begun:], begun) if "bw"[index % 2] == mine]
    return {
        "number": number, "rules": entry["rules"], "size": entry["size"], "komi": komi, "mine": mine,
        "against": "passes" if opponent is None else "GNU Go", "on": moves[begun:], "says": own,
        "won": sign * (score - komi) > 0, "counted": sign * (counted - komi) > 0,
        "ahead": sign * (score - komi), "stones": sum(move != "PASS" for move in played), "lists": lists,
        "unfinished": moves[-2:] != ["PASS", "PASS"],
    }


def collect(args):
    entries = []
    if os.path.exists(args.out):
        with open(args.out, encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
    number = max((entry["number"] for entry in entries), default=-1) + 1
    with open(args.out, "a", encoding="utf-8") as file, ThreadPoolExecutor(args.jobs) as pool:
        while len(entries) < args.games:
            for entry in pool.map(lambda each: finished(each, args), range(number, number + 2 * args.jobs)):
                if entry is not None:
                    entries.append(entry)
                    file.write(json.dumps(entry) + "\n")
            file.flush()
            number += 2 * args.jobs
    return entries[: args.games]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--out", required=True, help="file of finished games")
    parser.add_argument("--engine", default="target/release/tengen gtp --game go --visits 200 --threads 1")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[9, 9, 9, 9, 13])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--collect-only", action="store_true")
    args = parser.parse_args()
    entries = collect(args)
    if args.collect_only:
        return
    counts, stones = Counter(), Counter()
    with ThreadPoolExecutor(args.jobs) as pool:
        for result in pool.map(lambda entry: trial(entry, args), entries):
            kind = (result["rules"], result["size"])
            counts[(*kind, "games")] += 1
            counts[(*kind, "thrown away")] += not result["won"]
            counts[(*kind, "lost a point and more")] += result["ahead"] < 0.5
            stones[result["stones"]] += 1
            odd = result["unfinished"] or not result["won"] or result["counted"] != result["won"]
            if odd or result["lists"]["seki"] or result["stones"] > 3:
                print(json.dumps(result), flush=True)
    for key, count in sorted(counts.items(), key=str):
        print(*key, count)
    print("stones before its pass:", dict(sorted(stones.items())))


if __name__ == "__main__":
    main()
