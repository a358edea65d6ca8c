"""Whom to kill, and when. Each case gets a run with a learner and two workers; it returns the learner
that ends the run."""

import random
import signal
import time

from run import LEASE, kill
from store import until


def undisturbed(run, learner, workers):
    return learner


def worker_killed(run, learner, workers):
    run.wait_for_random_moment()
    kill(workers[0])
    time.sleep(random.uniform(0, 1))
    run.worker()
    return learner


def all_workers_killed(run, learner, workers):
    run.wait_for_random_moment()
    for worker in workers:
        kill(worker)
    run.worker()
    return learner


def worker_stopped(run, learner, workers):
    run.wait_for_random_moment()
    kill(workers[0], signal.SIGSTOP)
    time.sleep(3 * LEASE)
    kill(workers[0], signal.SIGCONT)
    return learner


def again(run, learner, copy="copy"):
    kill(learner)
    learner.wait()
    return run.learner(copy)


def learner_killed_in_games(run, learner, workers):
    number = random.randrange(4)
    until(lambda: run.exists(f"g{number:04}/games") or run.exists(f"g{number:04}/done.json"), 120)
    time.sleep(random.uniform(0, 1))
    return again(run, learner)


def learner_killed_in_fit(run, learner, workers):
    number = random.randrange(4)
    fit = run.folder / "copy" / f"generation-{number:04}" / "fit"
    until(fit.exists, 120)
    time.sleep(random.uniform(0, 0.3))
    # Elsewhere: nothing but the store is there.
    return again(run, learner, random.choice(["copy", "elsewhere"]))


def learner_killed_before_the_commit(run, learner, workers):
    number = random.randrange(4)
    network = run.folder / "copy" / "networks" / f"network-{number:04}.onnx"
    until(network.exists, 120)
    return again(run, learner)


def two_learners(run, learner, workers):
    run.wait_for_random_moment()
    second = run.learner("second")
    # The first one finds out before its next commit or report.
    if learner.wait() not in (0, 78):
        raise AssertionError(run.log())
    return second


def store_killed(run, learner, workers):
    run.wait_for_random_moment()
    run.weed.process.kill()
    run.weed.process.wait()
    time.sleep(random.uniform(0, 3))
    run.weed.start()
    return learner


def connections_cut(run, learner, workers):
    until(lambda: run.exists("g0000/tickets.json"), 60)
    run.weed.proxy.rate = 0.3
    learner.wait()
    run.weed.proxy.rate = 0.0
    return learner


def clock_off(run, learner, workers):
    run.wait_for_random_moment()
    kill(workers[0])
    for offset in ("+10m", "-10m"):
        run.worker(prefix=["faketime", "-f", offset])
    return learner


IN_A_FOLDER = [worker_killed, all_workers_killed, worker_stopped, learner_killed_in_games, learner_killed_in_fit,
               learner_killed_before_the_commit, two_learners, clock_off]
IN_A_BUCKET = [*IN_A_FOLDER, store_killed, connections_cut]
