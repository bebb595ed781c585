#!/usr/bin/env bash
# Programs in C++, C, Rust and Go built against an installed library: install_test.sh BINARY MODEL BUILD
# EXAMPLES
dietmt=$1
model=$2
build=$3
examples=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../cli/lib.sh"

for component in library development; do
  expect_code 0 cmake --install "$build" --component $component --prefix "$work/first"
done
# Nothing in it refers to its location.
mv "$work/first" "$work/prefix"
expect_code 0 cmake -S "$examples/cpp" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix"
expect_code 0 cmake --build "$work/build"
grep -rq "#include.*\(common/\|nlohmann\|spdlog\)" "$work/prefix/include" &&
  fail "a public header includes more than the standard library"
inside=$(nm -DC --defined-only "$work/prefix/lib/libdietmt.so" |
  grep -E " [TWV] (dietmt::(nmt|data|kernels|metrics|storage|service)|nlohmann|spdlog)::")
[ -z "$inside" ] || fail "the library exports what no header declares: $(head -5 <<<"$inside")"

toy_corpus 30 3 "$work/text"
"$work/build/example" "$model" <"$work/text.en" >"$work/library" || fail "the example fails"
"$dietmt" translate --model "$model" --input "$work/text.en" >"$work/program"
cmp "$work/library" "$work/program" || fail "the library translates differently"

# translates_by NAME: the example in another language gives the same lines and messages.
translates_by() {
  LD_LIBRARY_PATH=$work/prefix/lib "$work/$1" "$model" <"$work/text.en" >"$work/lines" ||
    fail "the example in $1 fails"
  cmp "$work/lines" "$work/program" || fail "the example in $1 translates differently"
  LD_LIBRARY_PATH=$work/prefix/lib expect_code 1 "$work/$1" "$work/none"
  expect_text "$work/none" "$err"
}

flags=$(PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig pkg-config --cflags --libs dietmt) ||
  fail "pkg-config does not find the library"
expect_code 0 cc -std=c99 -pedantic -Wall -Wextra -Werror "$examples/c/example.c" $flags -o "$work/c"
translates_by c
nm -D --defined-only "$work/prefix/lib/libdietmt.so" | grep -q "dietmt_load@@DIETMT_C_1" ||
  fail "the symbols of the C interface have no version"
if command -v rustc >/dev/null; then
  expect_code 0 rustc -D warnings "$examples/rust/example.rs" -L "$work/prefix/lib" -o "$work/rust"
  translates_by rust
else
  echo "no rustc: the example in Rust is not tried"
fi
if command -v go >/dev/null; then
  export GOCACHE=$work/go-cache GOFLAGS=-modcacherw
  PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig expect_code 0 go build -o "$work/go" "$examples/go/example.go"
  translates_by go
else
  echo "no go: the example in Go is not tried"
fi
expect_code 1 "$work/build/example" "$work/none"
expect_text "$work/none" "$err"

if [ -e "$build/lib/libdietmt-torch.so" ]; then
  expect_code 0 cmake --install "$build" --component dietmt-train --prefix "$work/prefix"
  mkdir "$work/torch"
  sed 's/find_package(dietmt /find_package(dietmt-torch /; s/dietmt::dietmt/dietmt::torch/' \
    "$examples/cpp/CMakeLists.txt" >"$work/torch/CMakeLists.txt"
  cp "$examples/cpp/example.cpp" "$work/torch"
  expect_code 0 cmake -S "$work/torch" -B "$work/torch/build" -DCMAKE_PREFIX_PATH="$work/prefix"
  expect_code 0 cmake --build "$work/torch/build"
  "$work/torch/build/example" "$model" <"$work/text.en" >"$work/lines" ||
    fail "the example with LibTorch fails"
  cmp "$work/lines" "$work/program" || fail "the example with LibTorch translates differently"
  inside=$(nm -DC --defined-only "$work/prefix/lib/dietmt/libdietmt-torch.so" |
    grep -E " [TWV] (dietmt::(nmt|data|kernels|encoders)|nlohmann|spdlog)::")
  [ -z "$inside" ] || fail "libdietmt-torch.so exports what no header declares: $(head -5 <<<"$inside")"
else
  echo "no LibTorch: dietmt::torch is not tried"
fi
finish
