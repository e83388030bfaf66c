#!/usr/bin/env bash
# Runs the commands whose output README.md shows and puts the new output there:
# what stands between "<!-- $ COMMAND -->" and "<!-- end -->". The data sets that
# are not bundled are read from FORECASTER_DATA.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
make -s build
cd "${FORECASTER_DATA:?set it to the folder of the data sets}"
PATH=$root/bin:$PATH
export COLUMNS=100 # the width of the tables on the pages
shown=yes
while IFS= read -r line; do
	if [[ $line == "<!-- end -->" ]]; then
		shown=yes
	fi
	if [[ $shown == yes ]]; then
		printf '%s\n' "$line"
	fi
	if [[ $line =~ ^'<!-- $ '(.*)' -->'$ ]]; then
		shown=no
		printf '\n    $ %s\n' "${BASH_REMATCH[1]}"
		# The folder of the demo is another one each time.
		bash -c "${BASH_REMATCH[1]}" 2>/dev/null </dev/null | sed -E 's#/tmp/forecaster-demo-[0-9]+#/tmp/forecaster-demo-1#; s/^(.+)$/    \1/'
		printf '\n'
	fi
done <"$root/README.md" >"$root/README.md.new"
mv "$root/README.md.new" "$root/README.md"
