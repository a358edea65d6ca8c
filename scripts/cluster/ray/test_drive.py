"""Tests of drive.py without Ray: python -m unittest discover scripts/cluster/ray"""

import unittest

import drive


class Drive(unittest.TestCase):
    def drive(self, statuses, workers=2):
        """Workers that end at once, one after another with these statuses; the driver's, and how many were started."""
        started = []

        def start():
            started.append(len(started))
            return started[-1]

        status = drive.drive(workers, start, lambda handles: [(handles[0], statuses.pop(0))], lambda: None)
        return status, len(started)

    def test_workers_that_end_by_themselves_end_the_run(self):
        self.assertEqual(self.drive([0, 0]), (0, 2))

    def test_a_failed_worker_is_started_again(self):
        self.assertEqual(self.drive([1, 0, RuntimeError("lost"), -9, 0]), (0, 5))

    def test_a_refusal_ends_all(self):
        self.assertEqual(self.drive([1, 78], workers=3), (78, 4))

    def test_commands_of_workers(self):
        options = drive.parse(["--run", "s3://b/r", "--workers", "4", "--gpus", "0.25"])
        self.assertEqual(
            " ".join(drive.work_command(options)),
            "tengen-train work --run s3://b/r --threads 1 --device cuda",
        )


if __name__ == "__main__":
    unittest.main()
