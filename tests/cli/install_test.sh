#!/usr/bin/env bash
# Installed programs load nothing from the build or a home directory: install_test.sh BINARY BUILD
dietmt=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh"

expect_code 0 cmake --install "$build" --prefix "$work/prefix"
for program in $(programs); do
  # Libraries of the system are in /lib and /usr, where no build writes.
  outside=$(ldd "$work/prefix/bin/$program" | grep -vE "=> ($work/prefix/|/lib|/usr/)|linux-vdso|^\s*/lib")
  [ -z "$outside" ] || fail "$program loads from elsewhere: $outside"
done

cd /
expect_code 0 env -i "$work/prefix/bin/dietmt" --version
expect_text "dietmt " "$out"
expect_code 0 env -i "$work/prefix/bin/dietmt" bert params --preset tiny  # by dietmt-torch
expect_text "positions" "$out"
for file in include/dietmt/translator.h include/dietmt/metrics.h lib/cmake/dietmt/dietmtConfig.cmake \
  share/man/man1/dietmt-train.1.gz share/bash-completion/completions/dietmt \
  share/zsh/site-functions/_dietmt $(! has_service || echo lib/systemd/system/dietmt.service) \
  $(! has_models || echo share/dietmt/models.json); do
  [ -s "$work/prefix/$file" ] || fail "$file is not installed"
done
finish
