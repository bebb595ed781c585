# Functions of the other scripts, which source it.

say() { echo "${0##*/}: $*" >&2; }
fail() { say "$*"; exit 1; }

# ON with g++ 12 and the LibTorch fetched here, unless DIETMT_WERROR says otherwise. A newer compiler
# may give new warnings, which must not stop a user's build. Builds with the same setting share
# objects in the compiler cache.
warnings_are_errors() {
  if [[ -n ${DIETMT_WERROR:-} ]]; then
    echo "$DIETMT_WERROR"
  elif [[ -z ${DIETMT_LIBTORCH:-} && $("${CXX:-c++}" -dumpversion) == 12 ]]; then
    echo ON
  else
    echo OFF
  fi
}

# The comment at the top of the script: print_help FILE.
print_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1"; }
