"""Objects of one instruction set define no function that other objects may link.

A template or inline function outside the namespace of its instruction set is a weak symbol: the
linker keeps one copy for the whole program, which may be the one with AVX-512. So the objects of the
sets above generic may define weak functions only in namespace dietmt::kernels::SET.

    isa_symbols_test.py NM OBJECT...
"""

import re
import subprocess
import sys


def weak_functions(nm, path):
    """The names of the weak functions that an object defines."""
    listing = subprocess.run([nm, "--demangle", "--defined-only", path], check=True,
                             capture_output=True, text=True).stdout
    return re.findall(r"^[0-9a-f]* W (.*)$", listing, re.MULTILINE)


def main():
    nm, *paths = sys.argv[1:]
    checked, leaks = 0, []
    for path in paths:
        instruction_set = re.search(r"_(generic|avx\w*|neon\w*)\.dir/", path)[1]
        if instruction_set == "generic":
            continue
        checked += 1
        leaks += [f"{path}: {name}" for name in weak_functions(nm, path)
                  if f"dietmt::kernels::{instruction_set}::" not in name]
    for leak in leaks:
        print("weak outside of its instruction set:", leak)
    print(checked, "objects checked")
    sys.exit(1 if leaks or checked == 0 else 0)


if __name__ == "__main__":
    main()
