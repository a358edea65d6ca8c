"""The rules of NoGo, Go and Gomoku, written from their descriptions and sharing nothing with the engine.

A point is a number, row by row from the bottom left; a pass is None; colours are 0 for Black and 1 for White.
"""
from functools import cache

COLUMNS = "ABCDEFGHJKLMNOPQRSTU"
EMPTY = 2
# Ko, and whether suicide of several stones is allowed.
GO_RULES = {
    "tromp-taylor": ("positional", True),
    "chinese-ogs": ("positional", False),
    "new-zealand": ("situational", True),
    "aga": ("situational", False),
    "chinese": ("simple", False),
    "japanese": ("simple", False),
}
GOMOKU_RULES = ["freestyle", "standard", "renju", "caro", "standard-caro"]
RULES = {"nogo": [""], "go": list(GO_RULES), "gomoku": GOMOKU_RULES}


@cache
def neighbours(width, height):
    def around(x, y):
        near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return tuple(b * width + a for a, b in near if 0 <= a < width and 0 <= b < height)

    return [around(point % width, point // width) for point in range(width * height)]


@cache
def lines(width, height):
    """For each point and each of the four directions: the points before it, nearest first, and those after it."""

    def ray(x, y, dx, dy):
        while 0 <= (x := x + dx) < width and 0 <= (y := y + dy) < height:
            yield y * width + x

    steps = [(1, 0), (0, 1), (1, 1), (1, -1)]
    return [
        [(list(ray(p % width, p // width, -dx, -dy)), list(ray(p % width, p // width, dx, dy))) for dx, dy in steps]
        for p in range(width * height)
    ]


class Board:
    """What the games share: stones on a grid, and no two on a point."""

    def __init__(self, width, height, rules=""):
        self.width, self.height, self.rules = width, height, rules
        self.stones = [EMPTY] * (width * height)
        self.passes = 0

    def name(self, point):
        return "pass" if point is None else f"{COLUMNS[point % self.width]}{point // self.width + 1}"

    def point(self, name):
        return None if name.lower() == "pass" else (int(name[1:]) - 1) * self.width + COLUMNS.index(name[0].upper())

    def play(self, color, point):
        self.passes = self.passes + 1 if point is None else 0
        if point is not None:
            self.put(color, point)

    def put(self, color, point):
        self.stones[point] = color


class NoGo(Board):
    may_pass = False

    def legal(self, color, point):
        """No chain may be left without a liberty."""
        if self.stones[point] != EMPTY:
            return False
        self.stones[point] = color
        near = neighbours(self.width, self.height)
        free = all(chain(self.stones, near, p)[1] for p in (point, *near[point]) if self.stones[p] != EMPTY)
        self.stones[point] = EMPTY
        return free

    def over(self, color):
        """Whoever has no move has lost."""
        return not any(self.legal(color, point) for point in range(len(self.stones)))


def chain(stones, near, start):
    """The stones connected to this one, and whether they have a liberty."""
    color, found, todo, free = stones[start], {start}, [start], False
    for point in todo:
        for other in near[point]:
            if stones[other] == EMPTY:
                free = True
            elif stones[other] == color and other not in found:
                found.add(other)
                todo.append(other)
    return found, free


class Go(Board):
    may_pass = True

    def __init__(self, width, height, rules):
        super().__init__(width, height, rules)
        self.ko, self.suicide = GO_RULES[rules]
        # Boards with the side to move next, and the board before the last move if that was a stone.
        self.past, self.before, self.last = {(bytes(self.stones), 0)}, None, None

    def after(self, color, point):
        """The board after a stone; None if it would be suicide that is not allowed."""
        stones, near = list(self.stones), neighbours(self.width, self.height)
        stones[point] = color
        for other in near[point]:
            if stones[other] == 1 - color:
                dead, free = chain(stones, near, other)
                if not free:
                    for stone in dead:
                        stones[stone] = EMPTY
        own, free = chain(stones, near, point)
        if not free:
            if len(own) == 1 or not self.suicide:
                return None
            for stone in own:
                stones[stone] = EMPTY
        return stones

    def legal(self, color, point):
        if self.stones[point] != EMPTY or (stones := self.after(color, point)) is None:
            return False
        text = bytes(stones)
        if self.ko == "positional":
            return (text, 0) not in self.past and (text, 1) not in self.past
        # Ko is about the opponent's last move: a colour may also play twice in a row.
        return (text != self.before or color == self.last) and (self.ko == "simple" or (text, 1 - color) not in self.past)

    def play(self, color, point):
        if color == self.last and self.passes == 1:
            self.passes = 0  # Only passes of both sides in turn end the game.
        before = bytes(self.stones) if point is not None else None
        super().play(color, point)
        self.before, self.last = before, color
        self.past.add((bytes(self.stones), 1 - color))

    def put(self, color, point):
        self.stones = self.after(color, point)

    def over(self, _):
        return self.passes >= 2


class Gomoku(Board):
    may_pass = False
    won = False

    def length(self, color, half):
        """Stones of this colour from one end of half a line, and what is behind them: a colour or None for the edge."""
        count = 0
        for point in half:
            if self.stones[point] != color:
                return count, self.stones[point]
            count += 1
        return count, None

    def wins_along(self, color, halves):
        (left, behind), (right, before) = (self.length(color, half) for half in halves)
        row = left + right + 1
        if row == 5:
            return "caro" not in self.rules or not behind == before == 1 - color
        return row > 5 and (self.rules in ("freestyle", "caro") or self.rules == "renju" and color == 1)

    def wins(self, color, point):
        return any(self.wins_along(color, halves) for halves in lines(self.width, self.height)[point])

    def legal(self, color, point):
        if self.won or self.stones[point] != EMPTY:
            return False
        return self.rules != "renju" or color == 1 or not self.forbidden(point)

    def forbidden(self, point):
        """Renju: an overline, two fours or two threes, unless it makes five."""
        self.stones[point] = 0
        directions = lines(self.width, self.height)[point]
        try:
            if self.wins(0, point):
                return False
            rows = [1 + sum(self.length(0, half)[0] for half in halves) for halves in directions]
            fours = [self.fours(point, halves) for halves in directions]
            if max(rows) > 5 or sum(fours) > 1:
                return True
            return sum(not four and self.three(point, d) for d, four in enumerate(fours)) > 1
        finally:
            self.stones[point] = EMPTY

    def fours(self, point, halves):
        """Rows of four with this stone that one stone makes five: two of them may lie on a line (X.XXX.X)."""
        line = halves[0][::-1] + [point] + halves[1]
        place, found = len(halves[0]), set()
        for first in range(max(0, place - 4), min(place, len(line) - 5) + 1):
            five = line[first : first + 5]
            outside = [line[i] for i in (first - 1, first + 5) if 0 <= i < len(line)]
            held = [p for p in five if self.stones[p] == 0]
            free = [p for p in five if self.stones[p] == EMPTY]
            if len(held) == 4 and free and all(self.stones[p] != 0 for p in outside):
                found.add(frozenset(held))
        return len(found)

    def three(self, point, direction):
        """Whether one more stone that is not forbidden makes an open four of it."""
        halves = lines(self.width, self.height)[point][direction]
        line = halves[0][::-1] + [point] + halves[1]
        place = len(halves[0])
        for first in range(max(1, place - 3), min(place, len(line) - 5) + 1):
            four = line[first : first + 4]
            free = [p for p in four if self.stones[p] == EMPTY]
            ends = [line[first - 1], line[first + 4]]
            beyond = [line[i] for i in (first - 2, first + 5) if 0 <= i < len(line)]
            if len(free) == 1 and all(self.stones[p] != 1 for p in four) and all(self.stones[p] == EMPTY for p in ends):
                # A stone beyond an end would make the fifth stone there an overline.
                if all(self.stones[p] != 0 for p in beyond) and not self.forbidden_or_five(free[0]):
                    return True
        return False

    def forbidden_or_five(self, point):
        self.stones[point] = 0
        five = self.wins(0, point)
        self.stones[point] = EMPTY
        return five or self.forbidden(point)

    def put(self, color, point):
        super().put(color, point)
        self.won = self.wins(color, point)

    def over(self, _):
        return self.won or EMPTY not in self.stones


GAMES = {"nogo": NoGo, "go": Go, "gomoku": Gomoku}
