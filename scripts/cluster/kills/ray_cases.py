"""The same under Ray: two nodes on this machine, each with one worker. A case gets a run with a learner
and a driver; it returns the learner that ends the run.

Ray takes the machine's own address in spite of what it is told, so this wants a network namespace of its own:

    unshare --net python kill_matrix.py --ray ...
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from run import kill
from store import until

ADDRESS = "10.9.0.1"
SMALL = ["--num-cpus=1", "--object-store-memory=100000000"]


def set_up_network():
    """An interface with the address, in a fresh namespace."""
    for command in (
        "link set lo up",
        "link add head type veth peer name node",
        f"addr add {ADDRESS}/24 dev head",
        "link set head up",
        "link set node up",
        "route add default dev head",
    ):
        subprocess.run(["ip", *command.split()], check=True)


class Cluster:
    """Two nodes of Ray, started with these variables in their environment."""

    def __init__(self, environment):
        self.environment = {**os.environ, **environment, "RAY_USAGE_STATS_ENABLED": "0"}
        self.start()

    def ray(self, *arguments):
        program = Path(sys.executable).with_name("ray")
        return subprocess.run([program, *arguments], env=self.environment, capture_output=True, timeout=180, check=True)

    def start(self):
        self.ray("start", "--head", f"--node-ip-address={ADDRESS}", "--port=6379", "--include-dashboard=false", *SMALL)
        self.join()

    def join(self):
        self.ray("start", f"--address={ADDRESS}:6379", *SMALL)

    def stop(self):
        self.ray("stop", "--force")

    def restart(self):
        self.stop()
        self.start()


def kill_named(pattern, last=False):
    """Kills the first process, or the last one, whose command line matches; waits until there is one."""
    found = []

    def is_there():
        found[:] = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True).stdout.split()
        return found

    until(is_there, 30)
    os.kill(int(found[-1 if last else 0]), signal.SIGKILL)


def ray_undisturbed(run, learner, driver, cluster):
    return learner


def ray_process_killed(run, learner, driver, cluster):
    run.wait_for_random_moment()
    kill_named(f"work --run {run.url}")
    return learner


def ray_worker_killed(run, learner, driver, cluster):
    run.wait_for_random_moment()
    kill_named("ray::Player")
    return learner


def ray_raylet_killed(run, learner, driver, cluster):
    run.wait_for_random_moment()
    # The second node's; the first one's takes the driver with it.
    kill_named("raylet/raylet", last=True)
    time.sleep(1)
    cluster.join()
    return learner


def ray_gcs_killed(run, learner, driver, cluster):
    run.wait_for_random_moment()
    kill_named("gcs_server")
    # No node can join a cluster without it: all of Ray is started again.
    time.sleep(1)
    kill(driver)
    cluster.restart()
    run.driver()
    return learner


def ray_driver_killed(run, learner, driver, cluster):
    run.wait_for_random_moment()
    kill(driver)
    run.driver()
    return learner


UNDER_RAY = [ray_process_killed, ray_worker_killed, ray_raylet_killed, ray_gcs_killed, ray_driver_killed]
