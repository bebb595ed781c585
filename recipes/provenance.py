"""Where a result comes from: the commit of this checkout, and the processor."""
import pathlib
import platform
import subprocess


def commit():
    """The commit of this checkout, with + if it was changed since; None outside of git."""
    git = ["git", "-C", str(pathlib.Path(__file__).resolve().parent)]
    shown = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    if shown.returncode != 0:
        return None
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD"], capture_output=True)
    return shown.stdout.strip() + ("+" if changed.returncode == 1 else "")


def processor():
    """Its name, after the number of its processing units."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else platform.machine()
