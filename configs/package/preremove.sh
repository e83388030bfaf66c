#!/bin/sh
set -e
# Not on an upgrade (deb: "upgrade", rpm: 1), which the new version restarts.
case "$1" in upgrade | 1) exit 0 ;; esac
[ -d /run/systemd/system ] || exit 0
systemctl disable --now forecaster.service
