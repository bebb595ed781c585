# Shared by the command tests of `dietmt serve`. Source it after setting `dietmt` to the binary: sets
# `work` to a folder for the test's files, which is removed at the end as the server is.
work=$(mktemp -d)
server=
trap 'kill -9 $server 2>/dev/null; rm -rf "$work"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
if ! command -v curl >/dev/null; then
  echo "skipped: there is no curl"
  exit 77
fi

# Stops the server as an operator does.
stop() {
  kill -TERM $server
  wait $server || fail "exit code after SIGTERM: $?"
}
