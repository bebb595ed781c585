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

# How many tests run at a time: a third of their time they wait for servers, pauses and the disk.
test_jobs() { echo $((2 * $(nproc))); }

# The comment at the top of the script: print_help FILE.
print_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$1"; }

# The interpreter of a name, or of a version such as 3.12, on PATH or among those of pyenv; nothing if
# there is none.
find_python() {
  local python
  for python in "$1" "python$1" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
    "$python" -c 'import sys; print(sys.executable)' 2>/dev/null && return
  done
  true
}

# ---- progress -----------------------------------------------------------------------------------

# time_left DONE ALL SECONDS: what the rest of ALL steps takes at the pace of those that are done.
time_left() {
  local minutes=$((($3 * ($2 - $1) / $1 + 59) / 60))
  ((minutes > 1)) && echo "about $minutes minutes left" || echo "less than a minute left"
}

# show_progress [SECONDS]: passes on what a build prints, except Ninja's lines such as `[3/90] Building
# ...`. They become a line in so many seconds (default: 10) with the time left.
show_progress() {
  local line start=$SECONDS last=$SECONDS wait=${1:-10}
  while IFS= read -r line; do
    if [[ ! $line =~ ^\ *\[([0-9]+)/([0-9]+)\]\ .*\ ([^ ]+)$ ]]; then
      printf '%s\n' "$line"
    elif ((BASH_REMATCH[1] > 0 && SECONDS - last >= wait)); then
      last=$SECONDS
      say "step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} (${BASH_REMATCH[3]%%/CMakeFiles/*})," \
        "$(time_left "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((SECONDS - start)))"
    fi
  done
}

# ---- packages of programs that run elsewhere ----------------------------------------------------

# of_toolchain FILE VARIABLE: what a toolchain file of CMake sets; nothing if there is no file.
of_toolchain() { [[ -z $1 ]] || sed -n "s/^set($2 \(.*\))/\1/p" "$1"; }

# The Debian package that has a library of this path, or only of this name; nothing if none has it.
package_of() {
  local path paths=("*-linux-gnu/${1##*/}" "*/${1##*/}")
  if [[ $1 == /* ]]; then paths=("$1" "$(realpath -m "$1")" "${paths[@]}"); fi
  for path in "${paths[@]}"; do
    dpkg -S "$path" 2>/dev/null | sed -n '1s/:.*//p;1q' | grep . && return
  done
  true
}

# What ICU's users here read: properties, sentence boundaries, names of languages, and the encodings
# of the Web. The rest of its data (collation, dates, currencies, other encodings) would be 8 MB of a
# package.
icu_items='brkitr/.*|(lang|region)/(root|en|pool|res_index)\.res|[^/]*\.(icu|nrm)'
icu_items+='|(root|en|pool|res_index|supplementalData|keyTypeData|likelySubtags|langInfo|metadata'
icu_items+='|numberingSystems)\.res'
icu_items+='|(gb18030|euc-jp-2007|jisx-212|(iso-8859_|macos-|windows-)[^/]*|ibm-(5012|534[6-9]|535[0-4]'
icu_items+='|813|850|852|866|874|878|9005|91[2-6]|92[0-3]|944[7-9]|943|949|970|1089|1168|1363|1373|1386|33722)_[^/]*)\.cnv'
readonly icu_items
readonly web_encodings=(windows-125{0..8} windows-874 iso-8859-{2..11} iso-8859-{13..15} macintosh
  x-mac-cyrillic koi8-r koi8-u ibm866 gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr)

# make_icu_data FOLDER: makes libicudata.so.N with these items in the folder.
make_icu_data() (
  library=$(ldconfig -p | awk '$1 ~ /^libicudata\.so\./ && !n++ {print $NF}')
  version=${library##*.so.}
  data=icudt${version}l.dat  # icupkg puts this name into the file
  mkdir -p "$1/all" && cd "$1"
  objcopy -O binary --only-section=.rodata "$library" "all/$data"
  icupkg -l "all/$data" | grep -vxE "$icu_items" >unused.txt
  icupkg -r unused.txt "all/$data" "$data"
  printf '%s\n' ".globl icudt${version}_dat" ".type icudt${version}_dat, @object" '.section .rodata' \
    '.balign 16' "icudt${version}_dat:" ".incbin \"$data\"" '.section .note.GNU-stack,"",@progbits' \
    >data.s
  "${CXX:-c++}" -shared -nostdlib -Wl,-soname,"libicudata.so.$version" -o "libicudata.so.$version" data.s
  for encoding in "${web_encodings[@]}"; do
    [[ $(LD_LIBRARY_PATH=$PWD uconv -f "$encoding" -t utf-8 <<<abc) == abc ]] ||
      fail "ICU's data lacks $encoding"
  done
)

# True if make_system can work.
can_make_systems() { ((EUID == 0)) && command -v debootstrap >/dev/null; }

# make_system CODENAME FOLDER [PACKAGE...]: a minimal system of this Debian release in a folder, from
# the mirror that apt uses here. An existing one is kept.
make_system() {
  local codename=$1 root=$2 mirror packages
  shift 2
  [[ ! -e $root/complete ]] || return 0
  rm -rf "$root"
  mkdir -p "$(dirname "$root")"
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sed -n 1p)
  packages=$(IFS=,; echo "$*")
  say "making a minimal system of $codename"
  debootstrap --variant=minbase ${packages:+"--include=$packages"} "$codename" "$root" "$mirror" \
    >"$root.log" 2>&1 || fail "debootstrap: see $root.log"
  touch "$root/complete"
}

# in_system FOLDER COMMAND...: runs a command in such a system.
in_system() {
  # shellcheck disable=SC2016  # the inner shell expands them
  unshare --mount bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"' - "$1" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "${@:2}"
}
