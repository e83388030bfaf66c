#!/bin/bash
# Makes a token of InfluxDB that may write to a bucket, and one that may read it, in files; those that exist stay.
# Where the database is, and the administrator's token: INFLUX_HOST, INFLUX_ORG and INFLUX_TOKEN. Usage: tokens.sh BUCKET
set -euo pipefail
dir=${TOKENS:-/run/tokens}

bucket=$(influx bucket list --name "$1" --hide-headers | cut -f 1)
for right in write read; do
	file=$dir/$right/token
	[ ! -s "$file" ] || continue
	token=$(influx auth create --description "$right $1" "--$right-bucket" "$bucket" --json | sed -n 's/.*"token": *"\([^"]*\)".*/\1/p')
	[ -n "$token" ] || { echo "tokens.sh: influx auth create has printed no token" >&2; exit 1; }
	printf %s "$token" >"$file.part"
	mv "$file.part" "$file"
done
