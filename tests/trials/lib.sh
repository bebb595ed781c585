# Shared by trials in bash; see README.md.

# trial POINT WHAT pass|fail SEEN: prints the line of one trial.
trial() {
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(tr -s '\n\t ' ' ' <<<"$4")"
}
