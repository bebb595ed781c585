"""Runs dietmt-torch with the LibTorch of the package torch. A script: it must start without the
rest of this package."""

import importlib.metadata
import importlib.util
import os
import re
import sys

INSTALL = "run: pip install 'dietmt[train]'"


def supported_version() -> str:
    """The x.y of the package torch that this wheel was built with."""
    for requirement in importlib.metadata.requires("dietmt") or []:
        if match := re.match(r"torch~=(\d+\.\d+)\.", requirement):
            return match[1]
    raise SystemExit("error: this dietmt was built without LibTorch")


def torch_folder() -> str:
    wanted = supported_version()
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.origin:
        sys.exit(f"error: this needs the Python package torch {wanted}; {INSTALL}")
    found = importlib.metadata.version("torch")
    if not found.startswith(wanted + "."):
        sys.exit(f"error: this needs torch {wanted}, but {found} is installed; {INSTALL}")
    return os.path.dirname(spec.origin)


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    # Python puts this folder there, whose names are not those of other packages, unless told not to.
    if sys.path and os.path.realpath(sys.path[0]) == os.path.realpath(here):
        sys.path.pop(0)
    libraries = os.path.join(torch_folder(), "lib")
    # The program looks next to this package; torch may be in another site directory.
    beside = os.path.join(here, "..", "torch", "lib")
    if not (os.path.isdir(beside) and os.path.samefile(libraries, beside)):
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(
            filter(None, [libraries, os.environ.get("LD_LIBRARY_PATH")]))
    program = os.path.join(here, "libexec", "dietmt-torch")
    os.execv(program, [program, *sys.argv[1:]])


main()
