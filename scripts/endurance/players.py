"""Programs that choose moves, by protocol. Each is told every move, and asked when it is its turn."""
import json
import os
import select
import subprocess
import time

PATIENCE = 120  # Seconds without an answer after which a program counts as hanging.
COLORS = ("black", "white")
AHEAD = 16  # Moves that an engine that plays both sides is asked for at once.


class Fault(Exception):
    """What must not happen."""


class Program:
    """A process that answers lines with lines; the last exchanged ones are kept for reports."""

    def __init__(self, words, folder=None):
        self.words, self.heard, self.lines, self.waits = words, b"", [], {}
        self.log = open(os.path.join(folder, words[1] + ".stderr"), "ab") if folder else subprocess.DEVNULL
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=self.log, cwd=folder)

    def fault(self, what):
        return Fault(f"{what}\n  {' '.join(self.words)}\n  " + "\n  ".join(self.lines[-400:]))

    def say(self, text):
        self.lines.append(text)
        if len(self.lines) > 4000:
            del self.lines[:2000]
        try:
            self.process.stdin.write(text.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.fault(f"the program has ended with {self.process.wait()}") from None

    def until(self, end):
        """What is said up to this text."""
        while (at := self.heard.find(end)) < 0:
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                raise self.fault(f"no answer within {PATIENCE} s")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                raise self.fault(f"the program has ended with {self.process.wait()}")
            self.heard += more
        text, self.heard = self.heard[: at + len(end)], self.heard[at + len(end) :]
        return text.decode()

    def line(self):
        self.lines.append("< " + (text := self.until(b"\n").strip()))
        return text

    def use(self):
        """Memory in KiB, and open files."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as numbers:
            memory = int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
        return memory, len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def waited(self):
        """Seconds that its threads and this program were ready to run and had no core, all together; asked often, as
        the numbers of a thread end with it."""
        own = [(f"/proc/{self.process.pid}/task/{thread}", thread) for thread in os.listdir(f"/proc/{self.process.pid}/task")]
        for folder, thread in [("/proc/self", "self"), *own]:
            try:
                with open(f"{folder}/schedstat", encoding="ascii") as numbers:
                    self.waits[thread] = int(numbers.read().split()[1]) / 1e9
            except (FileNotFoundError, ProcessLookupError):
                pass
        return sum(self.waits.values())

    def end_now(self):
        """Waits for it, too: only then its processor time is known."""
        self.process.kill()
        self.process.wait()

    def close(self):
        self.process.stdin.close()
        try:
            if (code := self.process.wait(PATIENCE)) != 0:
                raise self.fault(f"the program ended with {code}")
        finally:
            self.process.kill()
            self.process.stdout.close()
            if self.log != subprocess.DEVNULL:
                self.log.close()


class Gtp(Program):
    """An engine over GTP. Answers to moves are read later."""

    def __init__(self, *args):
        super().__init__(*args)
        self.unread, self.asked, self.both = [], 0, False

    def time(self, command, meanwhile=lambda: None):
        """The answer to a search, its seconds, and the part of them in which something waited for a core."""
        self.settle()
        waited, start = self.waited(), time.monotonic()
        self.say(command)
        while not select.select([self.process.stdout], [], [], 0.01)[0] and time.monotonic() < start + PATIENCE:
            self.waited()
            meanwhile()
        answer = self.read(command, True)
        return answer, time.monotonic() - start, self.waited() - waited

    def read(self, command, refusal=False):
        text = self.until(b"\n\n").strip()
        self.lines.append("< " + text)
        if text[0] not in "=?" or (text[0] == "?" and not refusal):
            raise self.fault(f"`{command}` was answered with {text}")
        return text if refusal else text[1:].strip()

    def settle(self):
        for command in self.unread:
            self.read(command)
        self.unread = []

    def ask(self, command, refusal=False):
        self.settle()
        self.say(command)
        return self.read(command, refusal)

    def begin(self, board, _):
        self.ask(f"rectangular_boardsize {board.width} {board.height}")
        if board.rules:
            self.ask(f"kata-set-rules {board.rules}")

    def told(self, board, color, point, own):
        if own:
            return
        self.say(command := f"play {COLORS[color]} {board.name(point)}")
        self.unread.append(command)
        if len(self.unread) > 100:
            self.settle()

    def choose(self, board, color):
        """A point, or `resign`. With `both`, it is asked for many moves at once, which costs less waiting."""
        if not self.asked:
            self.settle()
            for move in range(AHEAD if self.both else 1):
                self.say(f"genmove {COLORS[(color + move) % 2]}")
                self.asked += 1
        self.asked -= 1
        move = self.read("genmove")
        return move if move == "resign" else board.point(move)

    def end(self):
        """Takes back what it has played beyond the end."""
        self.settle()
        beyond = [self.read("genmove", True) for _ in range(self.asked)]
        self.asked, moves = 0, sum(move[0] == "=" and move[1:].strip() != "resign" for move in beyond)
        if moves:
            self.ask(f"gg-undo {moves}")


class Gomocup(Program):
    """An engine over Gomocup's protocol, on square boards."""

    RULE = {"freestyle": 0, "standard": 1, "renju": 4, "caro": 8}

    def begin(self, board, _):
        self.say(f"START {board.width}")
        if (answer := self.line()) != "OK":
            raise self.fault(f"START was answered with {answer}")
        self.say(f"INFO rule {self.RULE[board.rules]}")
        self.last = None

    def told(self, board, color, point, own):
        self.last = self.last if own else point

    def choose(self, board, color):
        # Piskvork counts rows from the top; any corner will do, if it is the same for both directions.
        self.say("BEGIN" if self.last is None else f"TURN {self.last % board.width},{self.last // board.width}")
        while (answer := self.line()).startswith(("MESSAGE", "DEBUG")):
            pass
        try:
            x, y = map(int, answer.split(","))
        except ValueError:
            raise self.fault(f"a move was {answer}") from None
        return y * board.width + x

    def end(self):
        pass


class Sau(Program):
    """An engine over the protocol of the SAU platform."""

    def begin(self, board, color):
        self.say(f"new {COLORS[color]}")

    def told(self, board, color, point, own):
        if not own:
            column, row = point % board.width, board.height - 1 - point // board.width
            self.say(f"move {chr(65 + column)}{chr(65 + row)}")

    def choose(self, board, color):
        # It moves by itself.
        words = self.line().split()
        if words[:1] != ["move"]:
            raise self.fault(f"no move: {words}")
        column, row = (ord(letter) - 65 for letter in words[1])
        return (board.height - 1 - row) * board.width + column

    def end(self):
        self.say("end")


class Analysis(Program):
    """KataGo's analysis engine: a query for each move."""

    def begin(self, board, _):
        self.moves, self.number = [], getattr(self, "number", 0)

    def told(self, board, color, point, own):
        self.moves.append(["BW"[color], board.name(point)])

    def choose(self, board, color):
        self.number += 1
        query = {"id": str(self.number), "moves": self.moves, "boardXSize": board.width, "boardYSize": board.height}
        query |= {"initialPlayer": "B", "maxVisits": 2, "rules": board.rules} if board.rules else {"maxVisits": 2}
        self.say(json.dumps(query))
        answer = json.loads(self.line())
        if answer["id"] != query["id"]:
            raise self.fault("an answer to another query")
        if not answer.get("moveInfos"):
            raise self.fault("no move")
        return board.point(answer["moveInfos"][0]["move"])

    def end(self):
        pass


class Chance:
    """Plays at random, by the referee's rules."""

    def __init__(self, rng):
        self.rng = rng

    def begin(self, board, color):
        pass

    def told(self, board, color, point, own):
        pass

    def choose(self, board, color):
        if board.may_pass and board.played > len(board.stones) and self.rng.random() < 0.05:
            return None
        free = [point for point, stone in enumerate(board.stones) if stone == 2]
        while free:
            at = self.rng.randrange(len(free))
            if board.legal(color, free[at]):
                return free[at]
            free[at] = free[-1]
            free.pop()
        return None if board.may_pass else "resign"

    def end(self):
        pass
