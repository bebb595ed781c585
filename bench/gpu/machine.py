"""The machine that is measured: where its LibTorch is, and how programs of the pack run there."""

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import time


class Failed(Exception):
    """A command that did not end well; the text says how."""


def torch_folder():
    found = importlib.util.find_spec("torch")
    if found is None:
        raise Failed(f"{sys.executable} has no package torch, whose LibTorch the programs load")
    return pathlib.Path(os.path.realpath(list(found.submodule_search_locations)[0]))


class Machine:
    """Runs programs of the pack, each in its own process group, as long as there is time."""

    def __init__(self, work, out, device, end):
        self.work, self.out, self.device = work, out, device
        self.trial = device == "cpu"  # of the pack: small sizes, few updates
        self.bin, self.data = work / "bin", work / "data"
        self.end = self.step_end = end
        self.log = None  # of the present step

    # ---- the pack --------------------------------------------------------------------------------

    def unpack(self, archive):
        """Once for a pack: a machine that is still warm has it already."""
        stamp = self.work / "unpacked"
        state = f"{archive.stat().st_size} {archive.stat().st_mtime_ns}"
        if stamp.exists() and stamp.read_text() == state:
            return
        self.work.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as packed:
            packed.extractall(self.work)
        stamp.write_text(state)

    def about_pack(self):
        return json.loads((self.work / "pack.json").read_text())

    def gpu_tests(self):
        return json.loads((self.work / "tests.json").read_text())

    # ---- time ------------------------------------------------------------------------------------

    def begin(self, step, seconds):
        if self.log is not None:
            self.log.close()
        self.log = (self.out / f"{step}.log").open("w")
        self.step_end = min(self.end, time.monotonic() + seconds)

    def left(self):
        return self.step_end - time.monotonic()

    # ---- programs --------------------------------------------------------------------------------

    def environment(self):
        """For programs of the pack only: the system's own would load the libraries in it, too."""
        torch = torch_folder()
        folders = [self.bin, torch / "lib", self.work / "lib",
                   *sorted((torch.parent / "nvidia").glob("*/lib")),
                   "/usr/local/cuda/lib64", *os.environ.get("LD_LIBRARY_PATH", "").split(":"),
                   "/usr/local/nvidia/lib64"]
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(str(f) for f in folders if str(f)),
                "CUDA_MODULE_LOADING": "LAZY"}

    def program(self, name, *arguments, **how):
        """A program of the pack; its standard output."""
        return self.run([self.bin / name, *arguments], environment=self.environment(), **how)

    def python(self, script, *arguments, **how):
        return self.run([sys.executable, "-u", script, *arguments], **how)

    def run(self, command, seconds=120, environment=None, stop=signal.SIGKILL, ends=(0,)):
        """Standard output of the command. After `seconds` it gets the signal `stop`; an exit code
        other than `ends` fails."""
        command = [str(word) for word in command]
        seconds = min(seconds, self.left())
        if seconds < 1:
            raise Failed("no time left")
        print("$", " ".join(command), file=self.log, flush=True)
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                       env=environment, start_new_session=True)
        except FileNotFoundError:
            raise Failed(f"there is no program {command[0]}") from None
        late = False
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            late = True
            output = self.stop(process, stop)
        self.log.write(output)
        self.log.flush()
        if late and stop == signal.SIGKILL:
            raise Failed(f"stopped after {seconds:.0f} s")
        if process.returncode not in ends:
            raise Failed(f"exit code {process.returncode}: {self.last_words()}")
        return output

    @staticmethod
    def stop(process, kind):
        os.killpg(process.pid, kind)
        try:
            return process.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0]

    def last_words(self):
        """The last line of the step's log, which says why a command failed."""
        lines = pathlib.Path(self.log.name).read_text(errors="replace").split("\n")
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")
