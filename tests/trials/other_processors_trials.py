#!/usr/bin/env python3
"""The same translations on other processors: other_processors_trials.py BUILD WORK.

Lines are translated with each instruction set of this processor, with QEMU's models of old x86-64
processors, and with the Arm64 build of scripts/arm64, and compared with those of the set `generic`.
Sums of floats have another order on each set, so a hypothesis that is nearly as good may win:
DIETMT_TRIAL_DIFFER is the share of lines that may differ (default 0.03).

  DIETMT_TRIAL_MODEL   a model directory; default: a toy model in fp32 and one in int8
  DIETMT_TRIAL_TEXT    lines to translate; default: those of the toy
  DIETMT_TRIAL_ARM64   the Arm64 build; default: build-arm64 next to BUILD
"""
import os
import pathlib
import shutil
import sys

import trials

# QEMU's names: no AVX; no AVX2; AVX2 without FMA, which the set avx2 needs too.
OLD_PROCESSORS = ["Nehalem", "SandyBridge", "Haswell,-fma"]
X86_SETS = ["avx2", "avx2_vnni", "avx512", "avx512_vnni", "avx512_bf16", "avx512_amx"]
ARM_SETS = ["generic", "neon_dot", "neon_i8mm"]
SECONDS = 3600


def translate(command, model, text, instruction_set=None, options=("--threads", "1")):
    environment = {"DIETMT_INSTRUCTION_SET": instruction_set} if instruction_set else None
    return trials.execute([*command, "translate", "--model", model, *options], input=text,
                          seconds=SECONDS, environment=environment)


def compare(what, expected, seen):
    """Reports how many lines differ from the expected ones."""
    lines = seen.out.splitlines()
    if seen.code != 0 or len(lines) != len(expected):
        return trials.report("processor", what, False, seen)
    differ = [n for n, (a, b) in enumerate(zip(lines, expected), 1) if a != b]
    allowed = float(os.environ.get("DIETMT_TRIAL_DIFFER", "0.03")) * len(expected)
    trials.report("processor", what, len(differ) <= allowed,
                  f"{len(differ)} of {len(lines)} lines differ" +
                  (f": {' '.join(map(str, differ[:20]))}" if differ else ""))


def compare_all(build, arm64, model, text):
    name = pathlib.Path(model).name
    dietmt = build / "bin/dietmt"
    seen = translate([dietmt], model, text, "generic")
    if seen.code != 0:
        return trials.report("processor", f"{name}: generic", False, seen)
    expected = seen.out.splitlines()
    for instruction_set in X86_SETS:
        seen = translate([dietmt], model, text, instruction_set)
        if "this processor does not have" in seen.err:
            print(f"{instruction_set} is not tried: {seen.err.strip()}", file=sys.stderr)
        else:
            compare(f"{name}: {instruction_set}", expected, seen)
    if shutil.which("qemu-x86_64-static"):
        for processor in OLD_PROCESSORS:
            compare(f"{name}: {processor}", expected,
                    translate(["qemu-x86_64-static", "-cpu", processor, dietmt], model, text))
    else:
        print("old processors are not tried: no qemu-x86_64-static", file=sys.stderr)
    if (arm64 / "bin/dietmt").exists() and shutil.which("qemu-aarch64-static"):
        emulated = ["qemu-aarch64-static", "-L", arm64.parent / ".deps/arm64/sysroot",
                    arm64 / "bin/dietmt"]
        for instruction_set in ARM_SETS:
            compare(f"{name}: Arm64 {instruction_set}", expected,
                    translate(emulated, model, text, instruction_set))
    else:
        print(f"Arm64 is not tried: scripts/arm64 makes {arm64}", file=sys.stderr)


def main():
    build, work = (path.resolve() for path in trials.build_and_work())
    arm64 = pathlib.Path(os.environ.get("DIETMT_TRIAL_ARM64", build.parent / "build-arm64"))
    if "DIETMT_TRIAL_MODEL" in os.environ:
        models = [os.environ["DIETMT_TRIAL_MODEL"]]
        text = pathlib.Path(os.environ["DIETMT_TRIAL_TEXT"]).read_text()
    else:
        full = trials.toy_model(build / "bin/dietmt", work, updates=200)
        models = [work / "fp32", work / "int8"]
        for model in models:
            seen = trials.execute([build / "bin/dietmt", "quantize", "--model", full, "--type",
                                   model.name, "--output", model])
            if seen.code != 0:
                sys.exit(f"the toy model cannot be packed: {seen.err}")
        text = (work / "train.en").read_text()
    for model in models:
        compare_all(build, arm64, model, text)


main()
