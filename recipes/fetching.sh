# Shared by the recipes' fetch.sh; to be sourced.

# need_programs PROGRAM...: ends the script if one is missing.
need_programs() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || { echo "fetch.sh needs the program $program" >&2; exit 1; }
  done
}

# fetch URL FILE: an existing file is not fetched again; the file appears when it is complete.
fetch() {
  if [[ -e $2 ]]; then return; fi
  mkdir -p "$(dirname "$2")"
  echo "fetching $1" >&2
  if ! curl --fail --location --silent --show-error --retry 2 --connect-timeout 20 \
    --output "$2.part" "$1"; then
    rm -f "$2.part"
    echo "fetch.sh: $1 could not be fetched; run the same command again later" >&2
    exit 1
  fi
  mv "$2.part" "$2"
}
