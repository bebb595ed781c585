# Settings that a recipe's results depend on; to be sourced.

# result_options OPTION...: without those that say where a run is computed.
result_options() { sed -E 's/(^| +)--(threads|device|processes)[ =][^ ]+//g; s/^ +//' <<<"$*"; }

# gpu_of OPTION...: gpu=NAME if --device is one of NVIDIA (gpu=unknown without nvidia-smi), else
# nothing.
gpu_of() {
  local name
  [[ $* =~ --device[\ =]cuda(:([0-9]+))? ]] || return 0
  name=$(nvidia-smi --id="${BASH_REMATCH[2]:-0}" --query-gpu=name --format=csv,noheader) ||
    name=unknown
  echo "gpu=$name"
}

# keep_settings FOLDER SETTINGS: writes them to FOLDER/settings.txt; ends the script if it has others.
keep_settings() {
  local file=$1/settings.txt
  if [[ -e $file ]]; then
    [[ $(<"$file") != "$2" ]] || return 0
    echo "${0##*/}: $1 is of other settings: $(<"$file"); give another OUTPUT" >&2
    exit 2
  fi
  mkdir -p "$1"
  echo "$2" >"$file.$$"
  mv "$file.$$" "$file"
}
