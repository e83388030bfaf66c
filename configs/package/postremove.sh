#!/bin/sh
set -e
# Only purge removes what the models have learnt.
if [ "$1" = purge ]; then
	rm -rf /var/lib/forecaster /var/lib/private/forecaster
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
