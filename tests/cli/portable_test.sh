#!/usr/bin/env bash
# The archive for any Linux, without LibTorch: portable_test.sh BINARY MODEL BUILD
dietmt=$1
model=$2
build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)

command -v dpkg-query >/dev/null || { echo "skipped: this is no Debian"; exit 77; }
expect_code 0 "$dietmt" quantize --model "$model" --type fp32 --output "$work/packed"
expect_code 0 "$dietmt" translate --model "$work/packed" <<<"red cat"
expected=$out
expect_code 0 "$scripts/portable_archive" --without-libtorch "$build" "$work/dietmt.tar.gz"
expect_code 0 tar -xzf "$work/dietmt.tar.gz" -C "$work"

# translates PROGRAM: it gives the same line.
translates() {
  expect_code 0 env -i "$1" translate --model "$work/packed" <<<"red cat"
  [ "$out" = "$expected" ] || fail "$1 translates '$out' instead of '$expected'"
}
mv "$work/dietmt" "$work/moved here"
tree="$work/moved here"
translates "$tree/bin/dietmt"
ln -s "$tree/bin/dietmt" "$work/link"
translates "$work/link"
cd "$tree/bin" && translates ./dietmt
cd .. && translates bin/dietmt
# Programs that the first one starts are those of the archive.
expect_code 0 env -i bin/dietmt serve --help
expect_text "dietmt serve" "$out"
expect_code 1 env -i bin/dietmt bert params
expect_text "$tree/bin/dietmt-torch cannot be run" "$err"

# Nothing comes from this system.
for program in lib/dietmt/programs/*; do
  lib/dietmt/runtime/ld-linux-* --library-path lib/dietmt/runtime --list "$program" |
    grep '=>' | grep -v "=> lib/dietmt/runtime/" && fail "$program loads libraries of this system"
done
for package in $(sed 1d share/doc/libraries/versions.txt | cut -d' ' -f1); do
  [ -s "share/doc/libraries/$package/copyright" ] || fail "there is no licence of $package"
done

# What the archive consists of.
expect_code 0 "$scripts/sbom.py" "$work/dietmt.tar.gz" 1.2.3
python3 - "$work/out" <<'PYTHON' || fail "the list of parts is not as promised"
import json, sys
document = json.load(open(sys.argv[1]))
assert document["spdxVersion"] == "SPDX-2.3"
packages = {package["name"]: package for package in document["packages"]}
assert packages["dietmt"]["versionInfo"] == "1.2.3"
assert packages["libsentencepiece0"]["licenseComments"] == "Apache-2.0"
assert "libtorch" not in packages
assert len(document["relationships"]) == len(document["packages"]) > 20
PYTHON
finish
