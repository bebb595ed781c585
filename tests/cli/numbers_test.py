#!/usr/bin/env python3
"""Gives every numeric option of every command its extremes (tests/trials/extremes.py):
numbers_test.py BINARY WORK [COMMAND...]     without commands: all

Commands are tried at the same time, one per core.
Options with an extreme value are tried together, as long as the command takes them together; those
that it refuses together are tried again one by one."""
import itertools
import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "trials"))
from extremes import Toys, is_refused, takes_too_much  # noqa: E402
from trials import execute  # noqa: E402

# Options that filter all text away, a failure (exit code 1) that names them.
FILTERS = ("min-tokens", "max-tokens", "max-ratio")

# Options that set how often something is done. With others at their extremes it would take hours.
REPETITIONS = ("runs",)


class Check:
    def __init__(self, command):
        self.command = command
        self.failures = [f"{command.name}: --{option.name} has no range"
                         for option in command.options() if not option.has_range()]
        self.options = [option for option in command.options() if option.has_range()]

    def run(self, values):
        seen = self.command.run(values)
        if takes_too_much(seen):
            self.fail(values, seen)
        return seen

    def fail(self, values, seen):
        given = " ".join(f"--{name}={value}" for name, value in values.items())
        self.failures.append(f"{self.command.name} {given}: exit {seen.code}, "
                             f"{seen.cpu_seconds:.1f} s of CPU, {seen.megabytes:.0f} MB: "
                             f"{seen.err[-500:]}")

    def rounds(self, values_of):
        """The first value of every option, then the second of every option, and so on."""
        lists = {option.name: values_of(option) for option in self.options}
        for i in range(max(map(len, lists.values()), default=0)):
            yield {name: words[i] for name, words in lists.items() if i < len(words)}

    def refused(self):
        """Words that are not numbers come first, since they are reported separately."""
        for values in self.rounds(lambda option: option.refused()):
            seen = self.run(values)
            while seen.code == 2 and values:
                named = [name for name in values if f"--{name} is " in seen.err]
                if not named:
                    break
                for name in named:
                    del values[name]
                seen = self.run(values) if values else seen
            if values:
                self.fail(values, seen)

    def accepted(self):
        for values in self.rounds(lambda option: option.accepted()):
            for name in set(values).intersection(REPETITIONS):
                self.alone(name, values.pop(name))
            seen = self.run(values)
            while seen.code in (1, 2) and values:
                named = [name for name in values if f"--{name}" in seen.err]
                for name in named:
                    self.alone(name, values.pop(name))
                if not named:
                    break
                seen = self.run(values)
            if seen.code != 0:
                self.fail(values, seen)

    def alone(self, name, value):
        seen = self.run({name: value})
        filtered = name in FILTERS and seen.code == 1 and f"--{name}" in seen.err
        if seen.code != 0 and not is_refused(seen, name) and not filtered:
            self.fail({name: value}, seen)


def main():
    dietmt, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    commands = Toys(dietmt, work).commands()
    for command in ("serve", "models list"):
        if f"\n  {command.split()[0]} " not in execute([dietmt, "--help"]).out:
            del commands[command]

    def failures(name):
        check = Check(commands[name])
        check.refused()
        check.accepted()
        print(f"{name}: {len(check.options)} options, {check.command.slowest:.1f} s at most",
              flush=True)
        return check.failures

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(failures, sys.argv[3:] or commands))
    print("\n".join(itertools.chain(*found)))
    sys.exit(any(found))


main()
