#!/usr/bin/env python3
"""What table.sh and figure.sh run; they describe the arguments."""
import argparse
import pathlib
import shlex
import sys

import jobs
import positions
import tables


def plan(work, kind, name):
    """Stages of jobs."""
    if kind == "figure":
        return jobs.stages(work, *positions.models_of_figure(work, name))
    table = tables.read_table(name)
    models = [row.model for row in table.rows]
    if name == "tupe-1":
        return []
    if name == "diet-4":
        return [[f"translate {model}" for model in models]]
    if name == "diet-6":
        english = jobs.stages(work, models, ["glue-diet"])
        many = jobs.stages(work, [f"{model}-multilingual" for model in models], ["xtreme-diet"])
        return [a + b for a, b in zip(english, many)]
    if name == "wang-5":
        return jobs.stages(work, positions.WANG[1:], ["glue-wang", "squad-wang"])
    return jobs.stages(work, models, [] if name == "wang-2" else table.settings)


def printed(work, name):
    if name == "tupe-1":
        return positions.hyperparameter_table(name)
    if name == "diet-4":
        return positions.translation_table(work, name)
    if name == "wang-2":
        return positions.indicator_table(work, name)
    if name == "wang-5":
        return positions.correlation_table(work, name)
    return tables.score_table(work, name)


def arguments():
    kind, *words = sys.argv[1:]
    names = tables.table_names() if kind == "table" else sorted(positions.FIGURES)
    parser = argparse.ArgumentParser(prog=f"{kind}.sh")
    parser.add_argument("name", choices=names, metavar=kind.upper(), help=", ".join(names))
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("output", metavar="OUTPUT")
    parser.add_argument("--scale", choices=jobs.SCALES, default="full")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--jobs", action="store_true")
    what.add_argument("--job", metavar="NAME")
    what.add_argument("--print", action="store_true")
    given, options = parser.parse_known_args(words)
    return kind, given, options


def main():
    kind, given, options = arguments()
    work = jobs.Work(given.data, given.output, given.scale, options)
    stages = plan(work, kind, given.name)
    if given.jobs:
        script = pathlib.Path(__file__).with_name(f"{kind}.sh")
        call = [script, given.name, given.data, given.output, "--scale", given.scale, *options, "--job"]
        print("\n\n".join("\n".join(shlex.join([*map(str, call), job]) for job in stage) for stage in stages))
        return
    work.check()
    if given.job:
        jobs.do(work, given.job)
        return
    if not given.print:
        for stage in stages:
            for job in stage:
                jobs.do(work, job)
    if kind == "table":
        print(printed(work, given.name))
    else:
        print(*positions.draw(work, given.name), sep="\n")


if __name__ == "__main__":
    main()
