"""Faults on purpose: a full disk, a folder that cannot be written, stopped processes, a stepped date, a core taken away, too little
memory, a terminal that is gone. What happens to the engine, to matches, to training and to the board?"""
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import subprocess
import time
import urllib.request

from players import Fault, Gtp

STOPPED = 60  # Seconds: a laptop that was closed.
# Runs a script that may mount what only it sees.
PRIVATE = ["unshare", "--mount", "--map-root-user", "sh", "-c"]


class Case:
    """The programs in a folder of their own."""

    def __init__(self, bin_folder, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.bin, self.folder = bin_folder, folder
        self.weak = f"{bin_folder}/tengen gtp --backend rollout --threads 1"

    def match(self, out, games=20, more="--visits 20"):
        one, other = f"{self.weak} {more}", f"{self.weak} --visits 10"
        return [self.bin / "tengen-match", "play", "--size", "3", "--games", str(games), "--out", out,
                "--first", one, "--second", other]

    def selfplay(self, out, games=20):
        return [self.bin / "tengen-train", "selfplay", "rollouts", "--out", out, "--games", str(games), "--size", "5",
                "--playouts", "8", "--threads", "1", "--games-per-shard", "2"]

    def fit(self, out, steps=300):
        data = self.folder / "data"
        if not data.exists():
            subprocess.run(self.selfplay(data, 100), check=True, capture_output=True)
        return [self.bin / "tengen-train", "fit", "--data", data, "--out", out, "--net", "tengen-1b8c", "--steps", str(steps),
                "--batch", "64", "--checkpoint-minutes", "0"]

    def commands(self, out):
        return {"match": self.match(out), "self-play": self.selfplay(out), "fit": self.fit(out)}

    def start(self, command, **more):
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT, **more)

    def board(self, save, wrap=()):
        """A board on which a move was made, and its address."""
        command = [*wrap, self.bin / "tengen", "board", "--backend", "rollout", "--visits", "5", "--autosave", save]
        board = self.start(command)
        address = board.stdout.readline().decode().strip()
        self.ask(address, {"do": "play", "at": "A1", "node": 0})
        return board, address

    def ask(self, address, command):
        request = urllib.request.Request(address + "do", json.dumps(command).encode(), {"Content-Type": "application/json"})
        return urllib.request.urlopen(request, timeout=60).read()


def last(text):
    """The last line of a message, without its time."""
    lines = [line for line in re.split(r"[\r\n]+", text if isinstance(text, str) else text.decode(errors="replace")) if line]
    return re.sub(r"^\[\S+ *|\x1b\[\S*", "", lines[-1]) if lines else "nothing"


def check(good, what):
    if not good:
        raise Fault(what)


def full_disk(case):
    """A file system that is full, and has room again when the same command is given once more."""
    small = case.folder / "small"
    small.mkdir()
    for name, command in case.commands(small / "out").items():
        line = shlex.join(map(str, command))
        script = (f'{line}; echo "ended with $?"; mount -o remount,size=50m "$0"; {line}; echo "then with $?"; '
                  f'cp -r "$0/out" "{case.folder}/{name}"')
        size = {"match": 24, "self-play": 16, "fit": 120}[name]
        script = f'mount -t tmpfs -o size={size}k tmpfs "$0"; {script}'
        done = subprocess.run([*PRIVATE, script, small], capture_output=True, text=True)
        text = done.stdout + done.stderr
        check("ended with 1" in text and "then with 0" in text and "panicked" not in text, f"{name} on a full disk: {text}")
        message = [line for line in text.splitlines() if "No space left" in line]
        check(message, f"{name} does not say that the disk is full: {text}")
        yield name, "ended with 1; the same command went on when there was room", "nothing finished", last(message[0])
        complete(case, name)
    script = 'mount -t tmpfs -o size=4k tmpfs "$0"; head -c 4096 /dev/zero >"$0/fill"; exec ' + case.weak + ' --files "$0"'
    engine = Gtp([*PRIVATE, script, str(small)])
    engine.ask("play b A1")
    message = engine.ask("printsgf game.sgf", True)
    check(message.startswith("?") and "No space" in message, message)
    check(engine.ask("genmove w"), "no move")
    engine.close()
    yield "engine", "refused to save the game, and played on", "nothing", message[2:]
    script = 'mount -t tmpfs -o size=4k tmpfs "$0"; head -c 4096 /dev/zero >"$0/fill"; (sleep 5; rm "$0/fill") & exec "$@"'
    board, address = case.board(small / "game.sgf", [*PRIVATE, script, small])
    time.sleep(3)
    game = urllib.request.urlopen(address + "game.sgf").read()
    time.sleep(4)
    board.send_signal(signal.SIGINT)
    message = last(board.stdout.read())
    check(b";B[" in game and "No space" in message, f"board: {game} {message}")
    yield "board", "played on, and saved the game at the end, when there was room", "nothing", message


def complete(case, name, games=20):
    """Whether all that was asked for is there once, and sound."""
    folder = case.folder / name
    if name == "match":
        played = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()[1:]]
        check(sorted(game["number"] for game in played) == list(range(games)), f"games of {folder}")
    else:
        sound = subprocess.run([case.bin / "tengen-train", "fsck", folder], capture_output=True, text=True)
        check(sound.returncode == 0 and "0 problems" in sound.stdout + sound.stderr, f"fsck: {sound}")
    shutil.rmtree(folder)


def read_only(case):
    """A folder in which nothing can be written."""
    small = case.folder / "read-only"
    small.mkdir()
    wrap = [*PRIVATE, 'mount -t tmpfs -o ro tmpfs "$0"; exec "$@"', small]
    for name, command in case.commands(small / "out").items():
        done = subprocess.run([*wrap, *command], capture_output=True, text=True)
        text = done.stderr
        check(done.returncode == 1 and "Read-only" in text and "panicked" not in text, f"{name}: {done}")
        yield name, "ended with 1 at once", "nothing", last(text)
    board, address = case.board(small / "game.sgf", wrap)
    time.sleep(3)
    case.ask(address, {"do": "undo"})
    board.send_signal(signal.SIGINT)
    message = last(board.stdout.read())
    check("Read-only" in message, f"board: {message}")
    yield "board", "played on", "the game, when it was ended", message


def long_runs(case, wrap=()):
    """A match, self-play and a fit, each begun a second ago, one after the other."""
    for name, command in {"match": case.match(case.folder / "match", 20, "--visits 3000"),
                          "self-play": case.selfplay(case.folder / "self-play", 400), "fit": case.fit(case.folder / "fit")}.items():
        program = case.start([*wrap, *command])
        time.sleep(1)
        yield name, program


def to_its_end(case, name, program):
    text = program.stdout.read()
    check(program.wait() == 0, f"{name}: {text}")
    complete(case, name)
    return "went on to its end", "nothing", last(text)


def stopped(case):
    """Stopped for some seconds in each phase, as by a debugger; a laptop's own sleep also stops the clock that is read."""

    def sleep(*processes):
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        time.sleep(STOPPED)
        for process in processes:
            os.kill(process, signal.SIGCONT)

    engine = Gtp([*case.weak.split()])
    sleep(engine.process.pid)
    check(engine.ask("name") == "Tengen", "start")
    for phase, before, command in (
        ("idle", [], None),
        ("search", ["time_settings 20 0 0"], "genmove b"),
        ("pondering", ["kata-set-param ponderingEnabled true", "play w A1"], None),
        ("analysis", ["kata-set-param ponderingEnabled false"], "kata-analyze b 10"),
    ):
        for line in before:
            engine.ask(line)
        if command:
            engine.say(command)
        time.sleep(0.5)
        sleep(engine.process.pid)
        start = time.monotonic()
        if phase == "analysis":
            engine.say("name")
        if command:
            engine.read(command)
        check(phase == "search" or "Tengen" in (engine.read("name") if command else engine.ask("name")), phase)
        took, waited = time.monotonic() - start, engine.waited()
        check(took < 1 + waited, f"{phase}: {took:.1f} s after it went on")
        yield f"engine, {phase}", f"answered {took:.2f} s after it went on", "nothing", "none"
    engine.close()
    for name, program in long_runs(case):
        children = subprocess.run(["pgrep", "-P", str(program.pid)], capture_output=True, text=True).stdout.split()
        if program.poll() is None:
            sleep(*map(int, children), program.pid)
        yield name, *to_its_end(case, name, program)
    board, address = case.board(case.folder / "stopped.sgf")
    sleep(board.pid)
    case.ask(address, {"do": "undo"})
    board.kill()
    yield "board", "answered", "nothing", "none"


def clock_stepped(case):
    """The date is set an hour ahead and back during a search under a clock, and during a match and a fit."""
    libraries = sorted(pathlib.Path("/usr/lib").rglob("libfaketime.so.1"))
    if not libraries:
        yield "all", "not tried: there is no faketime here", "", ""
        return
    step = case.folder / "step"
    variables = {"LD_PRELOAD": libraries[0], "FAKETIME_TIMESTAMP_FILE": step, "FAKETIME_NO_CACHE": 1, "DONT_FAKE_MONOTONIC": 1}
    wrap = ["env", *(f"{name}={value}" for name, value in variables.items())]
    steps = iter(["+3600", "-7200", "+0"] * 1000)

    def move():
        step.write_text(next(steps))

    move()
    shown = subprocess.run([*wrap, "date", "+%s"], capture_output=True, text=True).stdout
    check(int(shown) > time.time() + 3000, f"the date is not stepped: {shown}")
    engine = Gtp([*map(str, wrap), *case.weak.split()])
    engine.ask("time_settings 0 2 1")
    _, took, waited = engine.time("genmove b", move)
    check(0.2 < took < 2 + waited + 0.05, f"{took:.2f} of 2 s")
    engine.close()
    yield "engine", f"moved after {took:.2f} of 2 s", "nothing", "none"
    commands = {"match": case.match(case.folder / "match", 20, "--visits 3000"), "fit": case.fit(case.folder / "fit")}
    commands["match"] += ["--time", "20+1"]
    for name, command in commands.items():
        program = case.start([*wrap, *command])
        while program.poll() is None:
            move()
            time.sleep(0.2)
        text = program.stdout.read().decode()
        check(program.returncode == 0 and "time 1" not in text, f"{name}: {text}")
        complete(case, name)
        yield name, "went on to its end", "nothing", last(text)
    board, address = case.board(case.folder / "stepped.sgf", wrap)
    move()
    case.ask(address, {"do": "move"})
    time.sleep(3)
    yield "board", *saved(case, board, "stepped.sgf")


def saved(case, board, name):
    """Ends a board, which has to save its game."""
    board.send_signal(signal.SIGINT)
    board.wait(60)
    text = (case.folder / name).read_text()
    check(";B[" in text, f"board: {text}")
    return "answered, and saved the game at the end", "nothing", last(board.stdout.read())


def core_taken(case):
    """All threads on one core, in the middle of a search under a clock."""
    engine = Gtp([str(case.bin / "tengen"), "gtp", "--threads", "2"])
    engine.ask("time_settings 0 2 1")
    engine.ask("genmove b")
    taken = []

    def take():
        if not taken:
            taken.append(subprocess.run(["taskset", "-a", "-p", "-c", "0", str(engine.process.pid)], capture_output=True))

    _, took, waited = engine.time("genmove w", take)
    engine.close()
    check(took < 2 + waited + 0.05, f"{took:.2f} s")
    yield "engine", f"moved after {took:.2f} of 2 s", "nothing", "none"
    for name, program in long_runs(case):
        subprocess.run(["taskset", "-a", "-p", "-c", "0", str(program.pid)], capture_output=True)
        yield name, *to_its_end(case, name, program)


def little_memory(case):
    """A limit of the process's memory that a search reaches."""
    for name, more, kib in (("engine, playouts", "--backend rollout --threads 1", 170_000), ("engine, network", "--threads 2", 330_000)):
        limited = ["sh", "-c", f"ulimit -v {kib}; exec {case.bin}/tengen gtp {more} --visits 100000000 --time-per-move 20"]
        engine = Gtp(limited)
        moves = [engine.ask(f"genmove {color}") for color in "bwb"]
        report = engine.ask("tengen-report")
        engine.close()
        yield name, f"moved ({' '.join(moves)}; {report})", "visits", "none"
    # So little that a program does not even start or ends in the middle; it goes on with more.
    for name, command in case.commands(case.folder / "out").items():
        ends = []
        for kib in (45_000, 60_000, 75_000, 90_000):
            done = subprocess.run(["sh", "-c", f'ulimit -v {kib}; exec "$@"', "sh", *command], capture_output=True, text=True)
            ends.append(done.returncode)
        done = subprocess.run(command, capture_output=True, text=True)
        # 3: an engine of a match has warned while it had too little.
        check(done.returncode in (0, 3), f"{name}: {done}")
        shutil.move(case.folder / "out", case.folder / name)
        complete(case, name)
        yield name, f"with 45, 60, 75, 90 MB it ended with {ends}; the same command went on with more", "nothing finished", last(done.stderr)
    board, address = case.board(case.folder / "little.sgf", ["sh", "-c", 'ulimit -v 170000; exec "$@"', "sh"])
    case.ask(address, {"do": "move"})
    time.sleep(3)
    yield "board", *saved(case, board, "little.sgf")


def lost_terminal(case):
    """The terminal is closed: the system says so (SIGHUP), and what is written fails."""

    def closed(command, seconds):
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(case.folder)
            os.execv(command[0], [str(word) for word in command])
        time.sleep(seconds)
        os.close(terminal)
        start = time.monotonic()
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > start + 60:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise Fault(f"{command} goes on for a minute after its terminal was closed")
            time.sleep(0.05)
        return time.monotonic() - start

    for name, command in {"match": case.match(case.folder / "match", 40, "--visits 50000"),
                          "self-play": case.selfplay(case.folder / "self-play", 3000),
                          "fit": case.fit(case.folder / "fit", 1500)}.items():
        took = closed(command, 2)
        done = subprocess.run(command, cwd=case.folder, capture_output=True, text=True)
        check(done.returncode == 0, f"{name}: {done}")
        complete(case, name, 40)
        yield name, f"ended after {took:.1f} s; the same command went on", "the game or step in progress", last(done.stderr)
    took = closed(case.weak.split(), 1)
    yield "engine", f"ended after {took:.1f} s", "the game, which its controller has", "none"
    board, _ = case.board("lost.sgf")
    board.send_signal(signal.SIGHUP)
    board.wait(60)
    saved = (case.folder / "lost.sgf").read_text()
    check(";B[" in saved, f"board: {saved}")
    yield "board", "saved the game and ended", "nothing", last(board.stdout.read())


KINDS = [full_disk, read_only, stopped, clock_stepped, core_taken, little_memory, lost_terminal]


def all_of(bin_folder, folder, only=()):
    """What became of each fault, as rows; and what was wrong."""
    rows, wrong = [], []
    mounts = subprocess.run(["unshare", "--mount", "--map-root-user", "true"], capture_output=True).returncode == 0
    for kind in (kind for kind in KINDS if not only or kind.__name__ in only):
        name = kind.__name__.replace("_", " ")
        if kind in (full_disk, read_only) and not mounts:
            rows.append([name, "all", "not tried: this system lets users mount nothing (unshare)", "", ""])
            continue
        try:
            for row in kind(Case(pathlib.Path(bin_folder), pathlib.Path(folder))):
                rows.append([name, *row])
        except (Fault, OSError, subprocess.SubprocessError) as error:
            wrong.append(f"{name}: {error}")
            rows.append([name, "", "WRONG, see faults/", "", ""])
    return rows, wrong


if __name__ == "__main__":
    import sys

    for part in all_of(sys.argv[1], sys.argv[2], sys.argv[3:]):
        print(*part, sep="\n")
