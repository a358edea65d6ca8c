"""Requests to the board in the browser, right and wrong ones."""
import re
import socket
import time

from players import PATIENCE, Program

REQUESTS = [
    '{"do":"new","terms":{"game":"go","size":"5","players":["human","engine"],"level":{"visits":2}}}',
    '{"do":"play","at":"C3","node":0}', '{"do":"line","moves":["A1","B2"],"node":0}', '{"do":"undo"}', '{"do":"go","node":1}',
    '{"do":"move"}', '{"do":"hurry"}', '{"do":"resign"}', '{"do":"analyse","on":true}',
    '{"do":"mark","kind":"label","text":"a","at":"A1","node":0}', '{"do":"do_again"}', '{"do":"count"}',
    '{"do":"set_up","points":[["A1","B"],["B2",null]],"to_move":"W","node":0}',
    '{"do":"mark_dead","at":"A1","node":0}', '{"do":"judge","at":"A1","node":0}', '{"do":"review","on":true}',
    '{"do":"comment","node":0,"text":"a"}', '{"do":"delete"}', '{"do":"promote"}', '{"do":"take_back"}', '{"do":"game","place":0}',
    '{"do":"players","players":["engine","engine"],"level":{"visits":1}}', "(;GM[1]SZ[5];B[aa](;W[bb])(;W[cc]))",
]


def changed(text, rng):
    """The bytes of a request, often with some of them replaced, left out or doubled."""
    text = bytearray(text.encode())
    for _ in range(rng.choice([0, 0, 1, 2, 5])):
        at, what = rng.randrange(len(text) + 1), rng.randrange(3)
        text[at : at + rng.randint(0, 4)] = [b"", bytes([rng.randrange(256)]), text[at : at + 9] * 2][what]
    return bytes(text)


def ask(tengen, _game, folder, rng, until, figures):
    """Commands and records to the board, right and wrong ones: each has an answer, and the board goes on."""
    figures |= {"requests": 0, "refusals": 0}
    board = Program([tengen, "board", "--autosave", "off", "--backend", "rollout", "--visits", "3"], folder)
    try:
        address = board.line()
        host, port, token = re.fullmatch(r"http://(.*):(\d+)/(\w+)/", address).groups()
        while time.monotonic() < until:
            request = rng.choice(REQUESTS)
            path, kind = ("load", "octet-stream") if request[0] == "(" else ("do", "json")
            if rng.random() < 0.3:
                path = rng.choice(["", "games", "titles", "game.sgf", "review", "reviewed.sgf", "start.js", "%00", "do?a=b"])
            body = changed(request, rng)
            head = f"POST /{token}/{path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/{kind}\r\n"
            if path and path not in ("do", "load"):
                head, body = head.replace("POST", "GET"), b""
            head = changed(f"{head}Content-Length: {len(body)}\r\n\r\n", rng) if rng.random() < 0.1 else \
                f"{head}Content-Length: {len(body)}\r\n\r\n".encode()
            board.lines.append(f"{head + body}")
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as stream:
                stream.sendall(head + body)
                stream.shutdown(socket.SHUT_WR)
                answer = stream.recv(4096)
            # Half a request has no answer.
            status = re.match(rb"HTTP/1.1 (\d+) ", answer)
            if answer and (not status or status[1].startswith(b"5")):
                raise board.fault(f"the board answered {answer}")
            figures["requests"] += 1
            figures["refusals"] += not status or status[1] != b"200"
        if board.process.poll() is not None:
            raise board.fault(f"the board ended with {board.process.returncode}")
        figures["last KiB"], figures["last files"] = board.use()
    except OSError as error:
        raise board.fault(f"no connection: {error}, {board.process.poll()}") from None
    finally:
        board.end_now()
