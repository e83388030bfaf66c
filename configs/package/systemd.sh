#!/bin/bash
# Installs the package for Debian in a system of its own, with systemd as its first process, and tries the service there:
# it is active, hardened, stops at once, and only purge removes what it has learnt. As root, with debootstrap and
# systemd-container: systemd.sh FILE.deb [DIRECTORY of a system that an earlier call has made]
set -euo pipefail

deb=$(realpath "$1")
root=${2:-$(mktemp -d)/root}
name=forecaster-try-$$

[ -d "$root/usr" ] || debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "$root"
cp "$deb" "$root/forecaster.deb"

systemd-nspawn --quiet --boot --directory "$root" --machine "$name" --register=no --keep-unit </dev/null >"$root.log" 2>&1 &
boot=$!
end() {
	kill -TERM "$boot" 2>/dev/null || true
	wait "$boot" 2>/dev/null || true
}
trap end EXIT

# inside COMMAND: in the system, among its processes.
inside() { nsenter --target "$leader" --all --wdns=/ -- /bin/bash -euo pipefail -c "$1"; }

# await SECONDS WHAT COMMAND...: until the command succeeds.
await() {
	local left=$1 what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || { echo "systemd.sh: $what" >&2; tail -n 20 "$root.log" >&2; exit 1; }
		sleep 1
	done
}

first() { leader=$(pgrep -P "$boot" | head -n 1) && [ -n "$leader" ]; }
await 30 "systemd-nspawn has started no process" first
await 60 "the system has not booted" inside 'systemctl is-system-running --quiet || [ "$(systemctl is-system-running)" = degraded ]'

inside 'dpkg -i /forecaster.deb'
inside '! systemctl is-active --quiet forecaster' # it has no servers yet

# A job without servers: a process without end, with checkpoints and a file.
inside 'cat >/etc/forecaster/forecaster.yaml' <<-END
	input: {simulated: {rows: 0, speed: 1}}
	output: {file: {path: forecasts.csv}}
	state: {dir: ./state, interval: 1s}
	server: {enabled: true}
END
inside 'systemctl enable --now forecaster'
await 30 "the service is not active" inside 'systemctl is-active --quiet forecaster && test -s /var/lib/private/forecaster/forecasts.csv && ls /var/lib/private/forecaster/state/*/* '
inside 'user=$(stat -c %u "/proc/$(systemctl show -p MainPID --value forecaster)") && [ "$user" -gt 0 ]'
inside 'forecaster health -c /etc/forecaster/forecaster.yaml'

exposure=$(inside 'systemd-analyze security --no-pager forecaster' | sed -n 's/.*Overall exposure level for forecaster.service: \([0-9.]*\).*/\1/p')
awk -v e="$exposure" 'BEGIN { exit !(e != "" && e <= 1.5) }' || { echo "systemd.sh: exposure level $exposure, want at most 1.5" >&2; exit 1; }

begin=$(date +%s%N)
inside 'systemctl stop forecaster'
stopped=$((($(date +%s%N) - begin) / 1000000))
[ "$stopped" -le 1000 ] || { echo "systemd.sh: the service took $stopped ms to stop" >&2; exit 1; }
inside 'test "$(systemctl show -p Result --value forecaster)" = success'

inside 'systemctl start forecaster && dpkg --remove forecaster'
inside '[ "$(systemctl show -p MainPID --value forecaster)" = 0 ] && ! test -e /usr/bin/forecaster'
inside 'ls /var/lib/private/forecaster/state/*/* >/dev/null' # removal leaves the state
inside 'dpkg --purge forecaster'
inside '! test -e /var/lib/private/forecaster && ! test -e /var/lib/forecaster && ! test -e /etc/forecaster/forecaster.yaml'

echo "installed, active, exposure level $exposure, stopped in $stopped ms, removed with its state left, purged"
