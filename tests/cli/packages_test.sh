#!/usr/bin/env bash
# Packages of everything that needs no LibTorch, the programs and the C++ library: packages_test.sh
# BINARY MODEL BUILD
dietmt=$1
model=$2
build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"
sources=$(cd "$(dirname "$0")/../.." && pwd)

expect_code 0 "$dietmt" quantize --model "$model" --type fp32 --output "$work/packed"
expect_code 0 "$dietmt" translate --model "$work/packed" <<<"red cat"
expected=$out

# runs FOLDER: the programs in it translate without using this build.
runs() {
  expect_code 0 env -i "$1/bin/dietmt" --version
  expect_text "dietmt " "$out"
  expect_code 0 env -i "$1/bin/dietmt" translate --model "$work/packed" <<<"red cat"
  [ "$out" = "$expected" ] || fail "$1 translates '$out' instead of '$expected'"
  for file in share/man/man1/dietmt-translate.1.gz share/bash-completion/completions/dietmt \
    share/zsh/site-functions/_dietmt share/doc/dietmt/THIRD_PARTY_NOTICES.md; do
    [ -s "$1/$file" ] || fail "$1 lacks $file"
  done
}

# package KIND: makes the packages of the components.
package() {
  expect_code 0 cpack -G "$1" --config "$build/CPackConfig.cmake" \
    -D "CPACK_COMPONENTS_ALL=dietmt;library;development" -B "$work/packages"
}

# A program builds against the library in the folder, and translates.
builds_against() {
  expect_code 0 cmake -S "$sources/examples/cpp" -B "$work/example" -DCMAKE_PREFIX_PATH="$1"
  expect_code 0 cmake --build "$work/example"
  expect_code 0 "$work/example/example" "$work/packed" <<<"red cat"
  [ "$out" = "$expected" ] || fail "the example translates '$out' instead of '$expected'"
  [ -s "$1/share/doc/libdietmt-dev/LICENSE" ] || fail "$1 lacks the licence of the library"
}

package TGZ
mkdir "$work/elsewhere"
for archive in "$work"/packages/{dietmt,libdietmt0,libdietmt-dev}-*.tar.gz; do
  expect_code 0 tar -xzf "$archive" -C "$work/elsewhere"
done
runs "$work/elsewhere"
builds_against "$work/elsewhere"
expect_code 1 env -i "$work/elsewhere/bin/dietmt" bert params
expect_text "dietmt-torch" "$err"

if command -v dpkg-shlibdeps >/dev/null; then
  package DEB
  deb=$(echo "$work"/packages/dietmt_*.deb)
  expect_code 0 dpkg-deb -f "$deb" Depends
  for library in libc6 libgomp1 libsentencepiece0 libstdc++6 zlib1g; do
    expect_text "$library" "$out"
  done
  if [ "$(. /etc/os-release && echo "$ID$VERSION_ID")" = debian12 ]; then
    for package in $(sed 's/([^)]*)//g; s/,//g' <<<"$out"); do
      case $package in libc6 | libgcc-s1 | libstdc++6) continue ;; esac  # every system has them
      package=${package%-fmt9}  # a name that libspdlog1.10 provides
      grep -qw -- "$package" "$sources/docs/installing.md" || fail "docs/installing.md lacks $package"
    done
  fi
  expect_code 0 dpkg-deb -x "$work"/packages/libdietmt-dev_*.deb "$work/library"
  [ -e "$work/library/usr/include/dietmt/translator.h" ] || fail "libdietmt-dev has no headers"
  library=$(echo "$work"/packages/libdietmt0_*.deb)
  expect_code 0 dpkg-deb -f "$work"/packages/libdietmt-dev_*.deb Depends
  expect_text "libdietmt0 (= " "$out"
  expect_code 0 dpkg-deb -c "$library"
  expect_text "usr/lib/libdietmt.so.0 " "$out"
  expect_code 0 dpkg-deb -I "$library" shlibs
  expect_text "libdietmt 0 libdietmt0" "$out"
  if command -v lintian >/dev/null; then
    expect_code 0 lintian --no-cfg --fail-on error "$work"/packages/*.deb
  else
    echo "lintian is not installed: the packages are not checked with it"
  fi

  # A server that runs is started anew after an upgrade, and stopped before a removal.
  expect_code 0 dpkg-deb -e "$deb" "$work/scripts"
  mkdir "$work/fake"
  printf '%s\n' '#!/bin/sh' 'echo "$@" >>"$CALLS"' 'case $* in *is-active*) exit "$STATE" ;; esac' \
    >"$work/fake/systemctl"
  chmod +x "$work/fake/systemctl"
  # calls STATE SCRIPT ARGUMENT: what the script asks of systemctl, where is-active exits with STATE.
  calls() {
    : >"$work/calls"
    CALLS=$work/calls STATE=$1 PATH=$work/fake:$PATH sh "$work/scripts/$2" "$3" || fail "$2 $3"
    grep -v is-active "$work/calls" | paste -sd ' '
  }
  [ "$(calls 0 postinst configure)" = "daemon-reload restart dietmt.service" ] ||
    fail "upgrade: $(cat "$work/calls")"
  [ -z "$(calls 3 postinst configure)" ] || fail "no server ran: $(cat "$work/calls")"
  [ "$(calls 0 prerm remove)" = "stop dietmt.service --quiet disable dietmt.service" ] ||
    fail "removal: $(cat "$work/calls")"
  [ "$(calls 3 prerm remove)" = "--quiet disable dietmt.service" ] ||
    fail "removal without a server: $(cat "$work/calls")"
  [ -z "$(calls 0 prerm upgrade)" ] || fail "before an upgrade: $(cat "$work/calls")"
  expect_code 0 dpkg-deb -x "$deb" "$work/root"
  runs "$work/root/usr"
  if [ "$(id -u)" -eq 0 ]; then  # into a separate database, where the libraries are missing
    mkdir -p "$work/installed" "$work/database/info" "$work/database/updates"
    touch "$work/database/status" "$work/database/available"
    expect_code 0 dpkg --instdir="$work/installed" --admindir="$work/database" --log="$work/dpkg.log" \
      --force-depends --force-script-chrootless -i "$deb"
    runs "$work/installed/usr"
  fi
else
  echo "dpkg-shlibdeps (package dpkg-dev) is not installed: no .deb is made"
fi

# Every library that the programs load is in the notices.
for name in $(programs); do
  program=$(dirname "$dietmt")/$name
  for library in $(objdump -p "$program" | awk '/NEEDED/ {print $2}'); do
    grep -qF "\`${library%%.so*}\`" "$sources/THIRD_PARTY_NOTICES.md" ||
      fail "THIRD_PARTY_NOTICES.md lacks $library"
  done
done
finish
