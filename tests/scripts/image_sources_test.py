#!/usr/bin/env python3
"""An image (recipes/serve/Containerfile) is built from the sources: .dockerignore must exclude all
build folders, as listed in .gitignore and the CMake presets.

    image_sources_test.py ROOT
"""
import fnmatch
import json
import pathlib
import sys


def names(file, starts=""):
    return [line.strip("/") for line in file.read_text().splitlines()
            if line and not line.startswith("#") and line.startswith(starts)]


def main():
    root = pathlib.Path(sys.argv[1])
    presets = json.loads((root / "CMakePresets.json").read_text())["configurePresets"]
    made = {".git", *names(root / ".gitignore", "/")}
    made |= {pathlib.PurePath(preset["binaryDir"]).name for preset in presets if "binaryDir" in preset}
    ignored = names(root / ".dockerignore")
    copied = [name for name in sorted(made)
              if not any(fnmatch.fnmatch(name, pattern) for pattern in ignored)]
    print("\n".join(f".dockerignore: an image would hold {name}/" for name in copied))
    return 1 if copied else 0


if __name__ == "__main__":
    sys.exit(main())
