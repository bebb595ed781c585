#!/usr/bin/env bash
# A program built against an installed library: install_test.sh BINARY MODEL BUILD EXAMPLE
dietmt=$1
model=$2
build=$3
example=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../cli/lib.sh"

expect_code 0 cmake --install "$build" --component library --prefix "$work/first"
# Nothing in it refers to its location.
mv "$work/first" "$work/prefix"
expect_code 0 cmake -S "$example" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix"
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
expect_code 1 "$work/build/example" "$work/none"
expect_text "$work/none" "$err"
finish
