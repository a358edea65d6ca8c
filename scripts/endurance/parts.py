"""What an endurance run does with the programs: games, and conversations in any order. Each part returns its figures."""
import os
import re
import time

from players import Analysis, Chance, COLORS, Gomocup, Gtp, Sau
from referee import EMPTY, GAMES, RULES

USUAL = {"nogo": 9, "go": 9, "gomoku": 15}
SMALLEST, LARGEST = {"nogo": 2, "go": 2, "gomoku": 5}, {"nogo": 13, "go": 19, "gomoku": 20}


def board_of(game, rng):
    """A board for the next game: usually the usual one, and sometimes a small one, where positions repeat."""
    width = height = USUAL[game]
    if (draw := rng.random()) < 0.2:
        largest = LARGEST[game] if draw < 0.1 else 5
        width, height = (rng.randint(SMALLEST[game], largest) for _ in "wh")
    rules = rng.choice(RULES[game])
    if rules == "japanese" and rng.random() < 0.9:
        rules = "chinese"  # Where territory counts, the end of the game is tried out before each move.
    return GAMES[game](width, height, rules)


def compare(engine, board, color):
    """Whether the engine sees the same stones, and the same legal moves of both colours."""
    rows = re.findall(r"^ *\d+ ([XO. ]+) +\d+$", engine.ask("showboard"), re.M)
    seen = [row.split() for row in reversed(rows)]
    if [stone for row in seen for stone in row] != ["XO."[stone] for stone in board.stones]:
        raise engine.fault("other stones than the referee's")
    over = board.over(color)
    for side in (0, 1):
        told = set(engine.ask(f"tengen-legal {COLORS[side]}").split()) - {"pass"}
        points = (point for point in range(len(board.stones)) if board.legal(side, point))
        legal = set() if over and board.may_pass else {board.name(point) for point in points}
        if told != legal:
            raise engine.fault(f"legal for {COLORS[side]}: the engine and not the referee {sorted(told - legal)}, "
                               f"the referee and not the engine {sorted(legal - told)}")


def one_game(witness, sides, board, rng, figures):
    """Plays a game, and counts the moves that programs chose and those drawn at random."""
    parties = list({id(party): party for party in (witness, *sides)}.values())
    for party in parties:
        party.begin(board, sides.index(party) if party in sides else 2)
    # Then it is not told of other moves, and the board is compared at the end.
    witness.both = sides[0] is sides[1] is witness
    color, board.played = 0, 0
    while not board.over(color) and board.played < 4 * len(board.stones):
        side = sides[color]
        point = side.choose(board, color)
        legal = point is None and board.may_pass or isinstance(point, int) and board.legal(color, point)
        if point == "resign":
            has_move = any(board.legal(color, point) for point in range(len(board.stones)))
            if has_move and not board.may_pass:
                raise side.fault("resigned with a legal move")
            break
        if not legal:
            raise side.fault(f"an illegal move: {point} on {board.width}x{board.height} {board.rules} {board.stones}")
        board.play(color, point)
        for party in parties:
            party.told(board, color, point, party is side)
        figures["random moves" if isinstance(side, Chance) else "moves"] += 1
        board.played += 1
        color = 1 - color
        if rng.random() < 0.02 and not witness.both:
            compare(witness, board, color)
            figures["comparisons"] += 1
    for party in parties:
        party.end()
    compare(witness, board, color)
    figures["comparisons"] += 1


def programs(tengen, game, folder, network):
    """The players of a game: the witness, a level, and other protocols where the game has them."""
    threads = ["--threads", "1", "--log-level", "error", "--memory-mib", "64"]
    weak = ["--game", game, "--backend", "rollout", "--visits", "1", *threads]
    level = ["--game", game, "--level", "1", "--visits", "2", *threads]
    witness = ["--game", game, "--visits", "2", *threads] if network else weak
    gtp = [tengen, "gtp", "--resign-below", "off"]
    found = [Gtp([*gtp, *witness], folder), Gtp([*gtp, *level], folder)]
    found.append(Analysis([tengen, "analysis", "--analysis-threads", "1", *weak], folder))
    if game == "gomoku":
        found.append(Gomocup([tengen, "gomocup", "--quiet", *weak], folder))
    if game == "nogo":
        found.append(Sau([tengen, "sau", "--records", os.path.join(folder, "records"), *weak], folder))
    return found


def fits(side, board):
    """Whether a program plays this game by its protocol."""
    if isinstance(side, Sau):
        return board.width == board.height == 9
    if isinstance(side, Gomocup):
        return board.width == board.height >= 5 and board.rules in Gomocup.RULE
    return True


def play(tengen, game, folder, rng, until, figures, enough=None, network=False):
    """Games between all kinds of players, one process for each, with the memory and files of the witness watched. Where
    a number is enough, most of them are drawn, which is quick."""
    drawn = 0.5 if enough is None else 0.8 if network else 0.95
    players = programs(tengen, game, folder, network)
    witness, chance, uses = players[0], Chance(rng), []
    figures |= {"moves": 0, "random moves": 0, "comparisons": 0, "games": 0}
    try:
        while time.monotonic() < until and figures["games"] != enough:
            board = board_of(game, rng)
            able = [side for side in players if fits(side, board)]
            # Drawn games reach what nobody would play. A program of another protocol plays one side.
            draw = rng.random()
            sides = [chance, chance] if draw < drawn else [rng.choice(able), rng.choice([witness, players[1], chance])]
            if draw > (1 + drawn) / 2:
                sides = [witness, witness]
            rng.shuffle(sides)
            one_game(witness, sides, board, rng, figures)
            figures["games"] += 1
            uses.append(witness.use())
    finally:
        for player in players:
            player.end_now()
    some = min(1000, len(uses) // 2)
    for name, part in ("first", uses[:some]), ("last", uses[len(uses) - some :]):
        for what, which in ("KiB", 0), ("files", 1):
            figures[f"{name} {what}"] = sum(use[which] for use in part) / max(some, 1)
            figures[f"{name} most {what}"] = max((use[which] for use in part), default=0)


class Conversation:
    """An engine that is asked anything in any order, and a referee that knows what must come of it."""

    def __init__(self, tengen, game, folder, rng, figures):
        words = [tengen, "gtp", "--game", game, "--backend", rng.choice(["rollout", "auto"]), "--threads", "2"]
        self.engine = Gtp([*words, "--visits", "20", "--log-level", "error", "--files", folder], folder)
        self.game, self.folder, self.rng, self.figures = game, folder, rng, figures
        self.renew(USUAL[game], USUAL[game])

    def renew(self, width, height):
        rules = self.rng.choice(RULES[self.game])
        self.engine.ask(f"rectangular_boardsize {width} {height}")
        if rules:
            self.engine.ask(f"kata-set-rules {rules}")
        self.board, self.history = GAMES[self.game](width, height, rules), []

    def replay(self, history):
        board = self.board
        self.board, self.history = GAMES[self.game](board.width, board.height, board.rules), list(history)
        for color, point in history:
            self.board.play(color, point)

    def to_move(self):
        return 1 - self.history[-1][0] if self.history else 0

    def color(self):
        return self.to_move() if self.rng.random() < 0.8 else self.rng.randrange(2)

    def accept(self, color, point):
        self.board.play(color, point)
        self.history.append((color, point))

    def expect(self, command, good):
        answer = self.engine.ask(command, refusal=True)
        if (answer[0] == "=") != good:
            raise self.engine.fault(f"`{command}` should be {'accepted' if good else 'refused'}: {answer}")
        self.figures["refusals"] += not good
        return answer[1:].strip()

    def do_play(self):
        color, point = self.color(), self.rng.randrange(len(self.board.stones))
        if self.rng.random() < 0.05:
            point = None
        good = self.board.may_pass if point is None else self.board.legal(color, point)
        self.expect(f"play {COLORS[color]} {self.board.name(point)}", good)
        if good:
            self.accept(color, point)

    def do_undo(self):
        count = self.rng.randint(1, 4)
        good = count <= len(self.history)
        self.expect(f"gg-undo {count}" if count > 1 else "undo", good)
        if good:
            self.replay(self.history[:-count])

    def do_new(self):
        if self.rng.random() < 0.3:
            width, height = (self.rng.randint(SMALLEST[self.game], LARGEST[self.game]) for _ in "wh")
            return self.renew(width, height)
        self.engine.ask("clear_board")
        self.replay([])

    def chosen(self, color, answer, plays):
        """What a search for this colour must come to."""
        self.figures["searches"] += 1
        able = any(self.board.legal(color, point) for point in range(len(self.board.stones)))
        if answer.startswith("?"):
            if self.board.over(color) or not able:
                return
            raise self.engine.fault("a search without an answer")
        move = answer[1:].split()[-1]
        if move in ("resign", "cancelled"):
            if move == "resign" and able and not self.board.may_pass:
                raise self.engine.fault("resigned with a legal move")
            return
        point = self.board.point(move)
        if not (self.board.may_pass if point is None else self.board.legal(color, point)):
            raise self.engine.fault(f"an illegal move: {move}")
        if plays:
            self.accept(color, point)

    def do_genmove(self):
        color = self.color()
        plays = self.rng.random() < 0.7
        self.chosen(color, self.engine.ask(f"{'genmove' if plays else 'reg_genmove'} {COLORS[color]}", True), plays)

    def do_interrupted(self):
        """A search with many visits that is told to move at once."""
        color = self.color()
        self.engine.ask("kata-set-param maxVisits 100000000")
        self.engine.say(f"genmove {COLORS[color]}")
        time.sleep(self.rng.random() * 0.03)
        self.engine.say("# interrupt")
        self.chosen(color, self.engine.read("genmove", True), True)
        self.engine.ask(f"kata-set-param maxVisits {self.rng.randint(1, 30)}")

    def do_clock(self):
        """A move under a clock. On a busy machine it may be late by what its threads waited for a core."""
        color, limit = self.color(), self.rng.choice([0.2, 0.5, 1])
        ways = [f"time_settings 0 {limit} 1", f"kata-time_settings byoyomi 0 {limit} 1",
                f"time_settings {limit} 0 0", f"kata-time_settings fischer {limit} 0.1"]
        self.engine.ask(self.rng.choice(ways))
        if self.rng.random() < 0.5:
            self.engine.ask(f"time_left {COLORS[color]} {limit} {self.rng.choice([0, 1])}")
        self.engine.ask("kata-set-param maxVisits 100000000")
        answer, took, waited = self.engine.time(f"genmove {COLORS[color]}")
        self.chosen(color, answer, True)
        self.figures["timed"] += 1
        self.figures["late"] += took > limit
        if took > limit + waited + 0.02:
            raise self.engine.fault(f"{took - limit:.3f} s late, of which it waited for a core {waited:.3f} s")
        self.engine.ask(f"kata-set-param maxVisits {self.rng.randint(1, 30)}")
        self.engine.ask("kgs-time_settings none")

    def do_analysis(self):
        color = self.color()
        self.engine.ask("kata-set-param maxVisits 100000000")
        self.engine.say(f"{self.rng.choice(['kata', 'lz'])}-analyze {COLORS[color]} 1")
        time.sleep(self.rng.random() * 0.05)
        self.engine.say("protocol_version")
        text = self.engine.read("analyze", True)
        if self.engine.read("protocol_version") != "2":
            raise self.engine.fault("another answer than to the command after an analysis")
        for move in set(re.findall(r"info move (\w+)", text)):
            if (point := self.board.point(move)) is not None and not self.board.legal(color, point):
                raise self.engine.fault(f"an illegal move in an analysis: {move}")
        self.engine.ask(f"kata-set-param maxVisits {self.rng.randint(1, 30)}")
        self.figures["searches"] += 1

    def do_ponder(self):
        self.engine.ask(f"kata-set-param ponderingEnabled {self.rng.choice(['true', 'false'])}")
        time.sleep(self.rng.random() * 0.02)

    def do_records(self):
        """The game is written, and read again up to some move."""
        self.engine.ask("printsgf game.sgf")
        with open(os.path.join(self.folder, "game.sgf"), encoding="utf-8") as file:
            moves = re.findall(r";([BW])\[(\w*)\]", file.read())
        height = self.board.height
        read = [("BW".index(color), (height - 1 - (ord(at[1]) - 97)) * self.board.width + ord(at[0]) - 97 if at else None)
                for color, at in moves]
        if read != self.history:
            raise self.engine.fault("a record of another game")
        first = self.rng.randint(1, len(read) + 1)
        self.engine.ask(f"loadsgf game.sgf {first}")
        self.replay(read[: first - 1])

    def do_compare(self):
        compare(self.engine, self.board, self.to_move())

    def go_on(self):
        often = [self.do_play] * 12 + [self.do_genmove] * 4 + [self.do_compare] * 2 + [self.do_undo] * 2
        rare = [self.do_new, self.do_interrupted, self.do_clock, self.do_analysis, self.do_ponder, self.do_records]
        self.rng.choice(often + rare)()
        self.figures["commands"] += 1


def converse(tengen, game, folder, rng, until, figures):
    """Conversations with processes that live for some hundreds of commands."""
    figures |= {"commands": 0, "searches": 0, "refusals": 0, "timed": 0, "late": 0}
    while time.monotonic() < until:
        talk = Conversation(tengen, game, folder, rng, figures)
        try:
            for _ in range(rng.randint(50, 1500)):
                if time.monotonic() > until:
                    break
                talk.go_on()
            talk.engine.close()
        finally:
            talk.engine.end_now()
