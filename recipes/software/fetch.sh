#!/usr/bin/env bash
# Fetches translated software as packages of Debian or Ubuntu, without installing them, and makes
# parallel text of it (parallel_text.py).
#
#   recipes/software/fetch.sh libreoffice|all LANGUAGE OUTPUT
#
#   libreoffice   LibreOffice's user interface and help: 10 MB for de
#   all           also the catalogues of the packages in packages.tsv: 150 MB
#
# LANGUAGE is the other side of English, for example de or cs. Writes train, valid and test .en and
# .LANGUAGE to OUTPUT. Packages that were fetched already are not fetched again. If a package cannot be
# fetched, the script writes no text; packages that do not exist in this language are left out, except
# LibreOffice's, which has the test text.
set -euo pipefail
if (($# != 3)) || [[ $1 != libreoffice && $1 != all ]]; then
  echo "usage: $0 libreoffice|all LANGUAGE OUTPUT" >&2
  exit 2
fi
set=$1 language=$2 output=$3
here=$(dirname "$0")
. "$here/../fetching.sh"
need_programs apt-get dpkg-deb python3

mkdir -p "$output/packages"
output=$(realpath "$output")

# fetch_package NAME: unpacks its translations and help pages into OUTPUT/root.
fetch_package() {
  local done=$output/packages/$1.done
  [[ -e $done ]] && return
  rm -f "$output/packages/$1"_*.deb
  # apt-get download warns when root calls it, and works.
  (cd "$output/packages" && LC_ALL=C apt-get download -q -q "$1" >/dev/null 2>"$1.log") || return 1
  dpkg-deb --fsys-tarfile "$output/packages/$1"_*.deb >"$output/packages/$1.tar" \
    2>"$output/packages/$1.log" || return 1
  # tar also fails if one of the patterns finds nothing.
  LC_ALL=C tar -xf "$output/packages/$1.tar" -C "$output/root" --wildcards --no-anchored '*.mo' \
    '*.html' 2>"$output/packages/$1.log" ||
    ! grep -qv -e 'Not found in archive' -e 'Exiting with failure status' \
      "$output/packages/$1.log" || return 1
  rm -f "$output/packages/$1.tar" "$output/packages/$1"_*.deb "$output/packages/$1.log"
  touch "$done"
}

mkdir -p "$output/root"
failed=()
while IFS=$'\t' read -r of package _; do
  [[ $of == libreoffice || $of == "$set" || ($of == more && $set == all) ]] || continue
  package=${package//LANGUAGE/$language}
  echo "fetching $package" >&2
  fetch_package "$package" && continue
  reason=$(tail -n 1 "$output/packages/$package.log")
  echo "fetch.sh: $package cannot be fetched: $reason" >&2
  [[ $of != libreoffice && $reason == *"Unable to locate package"* ]] || failed+=("$package")
done < <(grep -v '^#' "$here/packages.tsv")
if ((${#failed[@]} > 0)); then
  echo "fetch.sh: run the same command again to fetch ${failed[*]}" >&2
  exit 1
fi

python3 "$here/parallel_text.py" --language "$language" --root "$output/root" --output "$output"
