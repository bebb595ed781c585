#!/usr/bin/env python3
"""Writes what an archive of dietmt consists of, as SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3/).

    scripts/sbom.py ARCHIVE.tar.gz VERSION >FILE.spdx.json

Libraries and their versions come from the archive's share/doc/libraries/versions.txt
(scripts/portable_archive), their licences from THIRD_PARTY_NOTICES.md.
"""
import datetime
import hashlib
import json
import pathlib
import re
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTICES = ROOT / "THIRD_PARTY_NOTICES.md"


def rows(heading):
    """The cells of the table below this heading of the notices, each row by its column's name."""
    section = NOTICES.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    table = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in section.splitlines() if line.startswith("|")]
    return [dict(zip(table[0], row)) for row in table[2:]]


def licences():
    """Licences in the words of the notices, by Debian package."""
    return {package: row["licence"] for row in rows("Loaded when a program starts")
            for package in re.findall(r"[a-z0-9.+-]+", row["Debian package"])}


def package(name, version, licence, **others):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name,
            "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "licenseComments": licence, "copyrightText": "NOASSERTION", **others}


def libraries(versions):
    """The packages of the distribution that the archive carries."""
    known = licences()
    for line in versions.splitlines()[1:]:
        name, version, source, source_version = line.split()
        # What libraries bring along is not in the notices; its text is in the archive.
        licence = known.get(name, f"share/doc/libraries/{name}/copyright in the archive")
        yield package(name, version, licence, sourceInfo=f"built from {source} {source_version}",
                      externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                     "referenceLocator": f"pkg:deb/debian/{name}@{version}"}])


def libtorch(names):
    if not any(name.endswith("/libtorch_cpu.so") for name in names):
        return []
    version = re.search(r"libtorch_version=(\S+)", (ROOT / "scripts/setup").read_text())[1]
    licence = rows("Carried by the package dietmt-train")[0]["licence"]
    return [package("libtorch", version, licence)]


def document(archive, version):
    with tarfile.open(archive) as tar:
        names = tar.getnames()
        top = names[0].split("/")[0]
        versions = tar.extractfile(f"{top}/share/doc/libraries/versions.txt").read().decode()
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    own = package("dietmt", version, "Apache-2.0", packageFileName=archive.name,
                  checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    own["licenseDeclared"] = "Apache-2.0"
    parts = [*libraries(versions), *libtorch(names)]
    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": top, "documentNamespace": f"https://dietmt.invalid/spdx/{archive.name}-{digest}",
        "creationInfo": {"created": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Organization: dietmt developers"]},
        "packages": [own, *parts],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": own["SPDXID"]},
            *({"spdxElementId": own["SPDXID"], "relationshipType": "CONTAINS",
               "relatedSpdxElement": part["SPDXID"]} for part in parts)]}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    json.dump(document(pathlib.Path(sys.argv[1]), sys.argv[2]), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
