#!/usr/bin/env python3
"""bench/gpu/run: time limits, failures and tables, and reading traces. Needs no GPU."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "bench" / "gpu"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FOLDER))
loader = importlib.machinery.SourceFileLoader("run", str(FOLDER / "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)
import machine
import steps
import trace


class GpuBenchTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name)
        self.machine = machine.Machine(self.out, self.out, "cpu", time.monotonic() + 60)
        self.machine.begin("test", 60)

    def tearDown(self):
        self.machine.log.close()
        self.folder.cleanup()

    def shell(self, text, **how):
        return self.machine.run(["sh", "-c", text], **how)

    def test_output_comes_back_and_is_logged(self):
        self.assertEqual(self.shell("echo figures; echo words >&2"), "figures\n")
        self.assertEqual({"$ sh -c echo figures; echo words >&2", "figures", "words"},
                         set((self.out / "test.log").read_text().splitlines()))

    def test_a_command_ends_with_its_time_and_so_do_its_children(self):
        start = time.monotonic()
        with self.assertRaisesRegex(machine.Failed, "stopped after 1 s"):
            self.shell("sleep 50 & sleep 50", seconds=1)
        self.assertLess(time.monotonic() - start, 20)

    def test_a_failure_says_why(self):
        with self.assertRaisesRegex(machine.Failed, "exit code 3: no memory"):
            self.shell("echo no memory >&2; exit 3")
        with self.assertRaisesRegex(machine.Failed, "there is no program /not/here"):
            self.machine.run(["/not/here"])
        self.machine.step_end = time.monotonic()
        with self.assertRaisesRegex(machine.Failed, "no time left"):
            self.shell("true")

    def test_rows_before_a_failure_stay_and_the_next_step_starts(self):
        def broken(m):
            """breaks"""
            yield {"what": "first", "value": 1}
            raise KeyError("loss")

        def fine(m):
            """works"""
            yield steps.attempt({"what": "second"}, lambda: {"value": 2})
            yield steps.attempt({"what": "third"}, lambda: self.shell("exit 1"))

        steps.STEPS.update(broken=(broken, 10), fine=(fine, 10))
        results = run.Results(self.out)
        for name in ("broken", "fine"):
            run.run_step(self.machine, results, name)
        results.file.close()
        rows = [json.loads(line) for line in (self.out / "results.jsonl").read_text().splitlines()]
        self.assertEqual([row.get("failed", row.get("value")) for row in rows],
                         [1, "KeyError: 'loss'", 2, "exit code 1: $ sh -c exit 1"])
        self.assertEqual(results.failures(), 2)
        self.assertIn("| second | 2 |", results.tables())

    def test_the_trace_of_an_update(self):
        def event(cat, name, ts, dur):
            return {"cat": cat, "name": name, "ts": ts, "dur": dur}
        events = [event("kernel", "void f<int>(float*)", 0, 6000), event("kernel", "g", 5000, 2000),
                  event("gpu_memcpy", "Memcpy HtoD", 9000, 1000),
                  event("cuda_runtime", "cudaStreamSynchronize", 0, 3000)]
        (self.out / "trace.json").write_text(json.dumps({"traceEvents": events}))
        update, *kernels = trace.rows(self.out / "trace.json")
        self.assertEqual(update, {"what": "update", "milliseconds": 1.0, "busy": 0.8,
                                  "launches": 0.2, "copies": 0.1, "waits": 0.1,
                                  "host_milliseconds": 0.3})
        self.assertEqual([row["what"] for row in kernels], ["f<int>", "g", "Memcpy HtoD"])


if __name__ == "__main__":
    unittest.main()
