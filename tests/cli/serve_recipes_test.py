#!/usr/bin/env python3
"""Checks the files of recipes/serve against the program.

  serve_recipes_test.py DIETMT METRICS    METRICS: the text of /metrics of a server with jobs

Their options are those of `dietmt serve --help-json`, their ports and files agree with each other, and
the dashboard asks only for metrics that the server has. Prints the problems; exit code 1 if there are
any, 77 without PyYAML.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: no PyYAML (python3-yaml) for the recipes")
    sys.exit(77)

RECIPES = pathlib.Path(__file__).resolve().parents[2] / "recipes/serve"
problems = []


def require(holds, problem):
    if not holds:
        problems.append(problem)


def check_options(words, options, where):
    """Every word that begins with -- is an option, with a value if it needs one."""
    for i, word in enumerate(words):
        if not word.startswith("--"):
            continue
        name = word[2:].split("=")[0]
        require(name in options, f"{where}: serve has no option --{name}")
        has_value = i + 1 < len(words) and not words[i + 1].startswith("--")
        if name in options and options[name]["type"] == "flag":
            require(not has_value, f"{where}: --{name} takes no value")
        elif name in options:
            require(has_value, f"{where}: --{name} needs a value")
            if has_value and "choices" in options[name]:
                require(words[i + 1] in options[name]["choices"], f"{where}: --{name} {words[i + 1]}")


def image():
    """Options of the server, command, port and user of the Containerfile."""
    text = (RECIPES / "Containerfile").read_text()
    entry = json.loads(re.search(r"^ENTRYPOINT (.*)$", text, re.M)[1])
    command = json.loads(re.search(r"^CMD (.*)$", text, re.M)[1])
    options = [word for name, value in re.findall(r"DIETMT_SERVE_(\w+)=(\S+)", text)
               for word in ("--" + name.lower().replace("_", "-"), value)]
    port = int(re.search(r"^EXPOSE (\d+)$", text, re.M)[1])
    user = int(re.search(r"useradd --uid (\d+)", text)[1])
    require(entry == ["dietmt"], "Containerfile: the entry point is not dietmt")
    require(command[0] == "serve", "Containerfile: without a command it does not serve")
    require(re.search(rf"localhost:{port}/", text), "Containerfile: HEALTHCHECK asks another port")
    return options, command, port, user


def check_reach(words, publications, where):
    """Without keys, only the host itself reaches the port."""
    is_local = all(published.startswith("127.0.0.1:") for published in publications)
    require("--api-keys" in words or (publications and is_local), f"{where}: everybody reaches a server without keys")


def check_mounts(words, mounts, where):
    """Every path in a container that an option names is mounted."""
    for word in words:
        if word.startswith("/"):
            require(any(word == m or word.startswith(m + "/") for m in mounts), f"{where}: {word} is not mounted")


def check_compose(options, entry, port):
    document = yaml.safe_load((RECIPES / "compose.yaml").read_text())
    service = document["services"]["dietmt"]
    check_options(entry + service["command"], options, "compose.yaml")
    require(service["command"][0] == "serve", "compose.yaml: does not serve")
    check_reach(service["command"], service["ports"], "compose.yaml")
    require((RECIPES / service["build"]["context"] / service["build"]["dockerfile"]).is_file(), "compose.yaml: no Containerfile")
    require([p.split(":")[-1] for p in service["ports"]] == [str(port)], "compose.yaml: not the image's port")
    volumes = [v.split(":") for v in service["volumes"]]
    check_mounts(entry + service["command"], [v[1] for v in volumes], "compose.yaml")
    for source, *_ in volumes:
        require(source.startswith(".") or source in document["volumes"], f"compose.yaml: no volume {source}")


def check_kubernetes(options, entry, port, user):
    documents = list(yaml.safe_load_all((RECIPES / "kubernetes.yaml").read_text()))
    for document in documents:
        require({"apiVersion", "kind", "metadata", "spec"} <= set(document), "kubernetes.yaml: an incomplete object")
    by_kind = {document["kind"]: document["spec"] for document in documents}
    template = by_kind["StatefulSet"]["template"]
    labels = template["metadata"]["labels"]
    require(by_kind["StatefulSet"]["selector"]["matchLabels"] == labels, "kubernetes.yaml: the set selects other pods")
    require(by_kind["Service"]["selector"] == labels, "kubernetes.yaml: the service selects other pods")
    pod = template["spec"]
    container = pod["containers"][0]
    check_options(entry + container["args"], options, "kubernetes.yaml")
    require(container["args"][0] == "serve", "kubernetes.yaml: does not serve")
    check_reach(container["args"], [], "kubernetes.yaml")
    ports = {p["name"]: p["containerPort"] for p in container["ports"]}
    require(ports["http"] == port, "kubernetes.yaml: not the image's port")
    require(by_kind["Service"]["ports"][0]["targetPort"] in ports, "kubernetes.yaml: the service has no such port")
    require(int(template["metadata"]["annotations"]["prometheus.io/port"]) == port, "kubernetes.yaml: metrics elsewhere")
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        if probe in container:
            require(container[probe]["httpGet"]["port"] in ports, f"kubernetes.yaml: {probe} asks no port")
    require(pod["securityContext"]["runAsUser"] == user, "kubernetes.yaml: not the image's user")
    volumes = {v["name"] for v in pod["volumes"]}
    volumes |= {claim["metadata"]["name"] for claim in by_kind["StatefulSet"]["volumeClaimTemplates"]}
    for mount in container["volumeMounts"]:
        require(mount["name"] in volumes, f"kubernetes.yaml: no volume {mount['name']}")
    check_mounts(entry + container["args"], [m["mountPath"] for m in container["volumeMounts"]], "kubernetes.yaml")
    return pod["terminationGracePeriodSeconds"]


def check_unit(options, program):
    text = (RECIPES / "dietmt.service").read_text()
    command = re.search(r"^ExecStart=\S+ serve (.*)$", text, re.M)[1].split()
    check_options(command, options, "dietmt.service")
    require("--config" in command, "dietmt.service: no file with the user's options")
    if shutil.which("systemd-analyze") is None:
        print("systemd-analyze (systemd) is not installed: dietmt.service and its sandbox are not judged")
    else:
        check_settings(text, program)
        check_sandbox()
    return int(re.search(r"^TimeoutStopSec=(\d+)$", text, re.M)[1])


def check_settings(text, program):
    """systemd knows every setting, and finds the program."""
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder) / "dietmt.service"
        unit.write_text(text.replace("ExecStart=dietmt ", f"ExecStart={pathlib.Path(program).resolve()} "))
        judged = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    require(judged.returncode == 0 and "dietmt.service:" not in judged.stderr,
            f"systemd-analyze verify: {judged.stderr}")


def check_sandbox():
    """systemd's exposure score for the unit, from 0 to 10."""
    judged = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", RECIPES / "dietmt.service"],
                            capture_output=True, text=True)
    exposure = re.search(r"Overall exposure level for dietmt.service: ([0-9.]+)", judged.stdout)
    if exposure is None:  # before systemd 250, only installed units
        print("systemd-analyze cannot judge a file: " + judged.stderr)
        return
    require(float(exposure[1]) < 2, f"dietmt.service: exposure {exposure[1]}, and it should be below 2")


def check_nginx():
    """The server learns the name that the client used: nginx's default Host is the upstream address."""
    settings = re.sub(r"#.*", "", (RECIPES / "nginx.conf").read_text())
    settings, inside = re.sub(r"location[^{]*{[^}]*}", "", settings), re.findall(r"location[^{]*{([^}]*)}", settings)
    for header in (r"Host\s+\$http_host", r"X-Forwarded-Proto\s+\$scheme", r'Connection\s+""'):
        for block in [settings, *(one for one in inside if "proxy_set_header" in one)]:
            require(re.search(r"proxy_set_header\s+" + header + ";", block), f"nginx.conf: no header {header} in {block}")


def check_dashboard(metrics):
    known = set(re.findall(r"^# TYPE (\S+)", metrics, re.M))
    dashboard = json.loads((RECIPES / "grafana.json").read_text())
    places = set()
    for panel in dashboard["panels"]:
        grid = panel["gridPos"]
        for x in range(grid["x"], grid["x"] + grid["w"]):
            require((x, grid["y"]) not in places and x < 24, f"grafana.json: {panel['title']} overlaps")
            places.add((x, grid["y"]))
        for target in panel.get("targets", []):
            for name in re.findall(r"\b((?:dietmt|process)_[a-z_]+)", target["expr"]):
                base = re.sub(r"_(bucket|sum|count)$", "", name)
                require(name in known or base in known, f"grafana.json: {panel['title']}: no metric {name}")


def main():
    described = subprocess.run([sys.argv[1], "serve", "--help-json"], capture_output=True, text=True, check=True)
    options = {option["name"]: option for option in json.loads(described.stdout)["options"]}
    entry, default, port, user = image()
    check_options(entry + default, options, "Containerfile")
    check_reach(default, [], "Containerfile")
    check_reach([], re.findall(r"--publish (\S+)", (RECIPES / "Containerfile").read_text()), "Containerfile")
    require(str(port) == options["port"]["default"][0], "Containerfile: not the default port")
    check_compose(options, entry, port)
    drain = int(options["drain"]["default"][0])
    for name, patience in (("kubernetes.yaml", check_kubernetes(options, entry, port, user)),
                           ("dietmt.service", check_unit(options, sys.argv[1]))):
        require(patience > drain, f"{name}: stops the server before --drain has passed")
    check_nginx()
    check_dashboard(pathlib.Path(sys.argv[2]).read_text())
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
