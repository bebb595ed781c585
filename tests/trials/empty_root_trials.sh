#!/usr/bin/env bash
# What a new user meets on an empty Debian 12 and an empty Ubuntu 24.04: empty_root_trials.sh BUILD
# WORK
#
# debootstrap makes the roots, which needs root rights and a network. On Debian the packages of the
# build are installed and tried; on both, scripts/setup installs what it needs and dietmt is
# compiled without LibTorch. UBUNTU_MIRROR is the address of Ubuntu's archive, which debootstrap
# does not know outside Ubuntu.
build=$1
work=$2
dietmt=$build/bin/dietmt
sources=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/lib.sh"

for need in debootstrap cpack dpkg-shlibdeps; do
  command -v $need >/dev/null || { echo "not tried: there is no $need" >&2; exit 0; }
done
((EUID == 0)) || { echo "not tried: debootstrap needs root rights" >&2; exit 0; }

point= root=
leave() { for folder in "$work"/root-*/proc; do umount "$folder" 2>/dev/null; done; }
trap leave EXIT
in_root() {
  chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
as_user() {
  chroot --userspec=1000:1000 "$root" env -i HOME=/home/user PATH=/usr/local/bin:/usr/bin:/bin \
    LC_ALL=C.UTF-8 "$@"
}

# attempt WHAT COMMAND...: passes if the command succeeds; prints its duration and its last line.
attempt() {
  local what=$1 code=0 result=fail begin=$EPOCHREALTIME
  shift
  "$@" >"$work/log" 2>&1 </dev/null || code=$?
  ((code == 0)) && result=pass
  trial "$point" "$what" $result "$(awk -v a="$begin" -v b="$EPOCHREALTIME" \
    'BEGIN { printf "%.1f s", b - a }'), exit $code: $(grep -v '^$' "$work/log" | tail -1 | cut -c1-160)"
  return $code
}

# new_root NAME SUITE [MIRROR]: an empty root with a user. Debian's debootstrap has no script for
# Ubuntu 24.04 by name; those of all its releases are the same.
new_root() {
  point=$1 root=$work/root-$1
  attempt "debootstrap $2" debootstrap --variant=minbase ${3:+--components=main,universe} \
    "$2" "$root" ${3:+"$3" jammy} || return
  mount -t proc proc "$root/proc"
  mkdir -p "$root/home/user" "$root/srv"
  cp -r "$work/model" "$root/srv/model"
  chown 1000:1000 "$root/home/user"
}

translates() { [ "$(as_user "$@" <<<"red cat")" = "$expected" ]; }

serves() {
  local server code=1
  printf 'model = en-de=/srv/model\nport = 5099\n' >"$root/home/user/serve.cfg"
  as_user sh -c 'dietmt serve --config $HOME/serve.cfg --preload & echo $! >$HOME/pid; wait $!' &
  server=$!
  for _ in $(seq 100); do
    curl -fs localhost:5099/translate -d q='red cat' -d source=en -d target=de && code=0 && break
    sleep 0.1
  done
  kill "$(<"$root/home/user/pid")"
  wait $server && return $code
}

try_packages() {
  (cd "$build" && cpack -G DEB -B "$work/packages") >"$work/log" 2>&1 || { cat "$work/log" >&2; return; }
  cp "$work"/packages/*.deb "$root/srv"
  attempt "apt-get update" in_root apt-get -q update
  attempt "apt-get install ./dietmt" in_root sh -c 'apt-get -qy install /srv/dietmt_*.deb'
  attempt "dietmt translate, packed weights, as a user" translates dietmt translate --model /srv/model
  attempt "apt-get install ./dietmt-train" in_root sh -c 'apt-get -qy install /srv/dietmt-train_*.deb'
  cp "$work"/train.{en,de} "$root/home/user"
  attempt "dietmt train, 5 updates, as a user" as_user dietmt train --train-source /home/user/train.en \
    --train-target /home/user/train.de --valid-source /home/user/train.en --valid-target \
    /home/user/train.de --vocab-size 90 --preset tiny --max-updates 5 --output /home/user/run \
    --no-valid-translation
  attempt "dietmt serve with a file of options, as a user" serves
  attempt "apt-get install ./libdietmt-dev g++ cmake make" in_root sh -c \
    'apt-get -qy install --no-install-recommends /srv/libdietmt-dev_*.deb g++ cmake make'
  cp -r "$sources/examples/cpp" "$root/home/user/example" && chown -R 1000:1000 "$root/home/user/example"
  attempt "a program is built against the library" as_user sh -c \
    'cmake -S /home/user/example -B /home/user/example/build && cmake --build /home/user/example/build'
  attempt "it translates" translates /home/user/example/build/example /srv/model
}

try_sources() {
  git clone -q --no-hardlinks "$sources" "$root/home/user/dietmt"
  chown -R 1000:1000 "$root/home/user/dietmt"
  attempt "scripts/setup packages" in_root /home/user/dietmt/scripts/setup packages
  attempt "configure without LibTorch" as_user sh -c 'cd /home/user/dietmt && cmake --preset release \
    -DDIETMT_TORCH=OFF -DDIETMT_SERVICE=OFF'
  attempt "build dietmt without LibTorch" as_user ninja -C /home/user/dietmt/build -j "$(nproc)" dietmt
  attempt "it translates" translates /home/user/dietmt/build/bin/dietmt translate --model /srv/model
}

toy_training 500 20
"${toy_train[@]}" --output "$work/run" --max-updates 60 --batch-tokens 500 2>"$work/err" &&
  "$dietmt" quantize --model "$work/run" --type fp32 --output "$work/model" 2>>"$work/err" ||
  { cat "$work/err" >&2; exit 1; }
expected=$("$dietmt" translate --model "$work/model" <<<"red cat")

if new_root debian12 bookworm; then
  try_packages
  try_sources
fi
if [[ -z ${UBUNTU_MIRROR:-} ]]; then
  echo "Ubuntu 24.04 is not tried: UBUNTU_MIRROR is not set" >&2
elif new_root ubuntu24.04 noble "$UBUNTU_MIRROR"; then
  try_sources
fi
