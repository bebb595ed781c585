#!/bin/bash
# Run by scripts/release in a booted system that has the package: tries its service.
set -e
exec >/release/log 2>&1
set -x

answers() {
  curl --silent --fail --retry 30 --retry-connrefused --retry-delay 1 localhost:5958/translate \
    --data-urlencode "q=red cat" --data "source=en&target=de&api_key=key-of-the-trial" | grep translatedText
}
process() { systemctl show --property MainPID --value dietmt; }

systemctl enable --now dietmt
answers
[[ $(ps -o user= -p "$(process)") != root ]]
[[ -e /var/lib/dietmt/ ]]
first=$(process)
systemctl reload dietmt
answers
[[ $(process) == "$first" ]]

dpkg --install /release/dietmt_*.deb
answers
[[ $(process) != "$first" ]]

dpkg --remove dietmt
systemctl --quiet is-active dietmt && exit 1
[[ ! -e /etc/systemd/system/multi-user.target.wants/dietmt.service ]]
touch /release/passed
