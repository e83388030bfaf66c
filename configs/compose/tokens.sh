#!/bin/bash
# Makes a token of InfluxDB that may write to a bucket, and one that may read it, in files; those that exist stay.
# Where the database is, and the administrator's token: INFLUX_HOST, INFLUX_ORG and INFLUX_TOKEN. Usage: tokens.sh BUCKET
set -euo pipefail
dir=${TOKENS:-/run/tokens}

# ask PATH [CURL'S ARGUMENT...]: what the database answers. No command line has the token.
ask() {
	curl -sS --fail-with-body --max-time 30 -H @<(printf 'Authorization: Token %s' "$INFLUX_TOKEN") "$INFLUX_HOST/api/v2/$1" "${@:2}" ||
		{ echo "tokens.sh: $INFLUX_HOST refuses /api/v2/$1" >&2; exit 1; }
}

# first KEY: the first value of a key in the JSON of standard input.
first() { sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' | sed -n 1p; }

answer=$(ask "buckets?org=$INFLUX_ORG&name=$1")
bucket=$(first id <<<"$answer") org=$(first orgID <<<"$answer")
[ -n "$bucket" ] && [ -n "$org" ] || { echo "tokens.sh: there is no bucket $1" >&2; exit 1; }
for right in write read; do
	file=$dir/$right/token
	[ ! -s "$file" ] || continue
	token=$(ask authorizations -H 'Content-Type: application/json' --data \
		"{\"orgID\": \"$org\", \"description\": \"$right $1\", \"permissions\": [{\"action\": \"$right\", \"resource\": {\"type\": \"buckets\", \"id\": \"$bucket\", \"orgID\": \"$org\"}}]}" | first token)
	[ -n "$token" ] || { echo "tokens.sh: the answer has no token" >&2; exit 1; }
	printf %s "$token" >"$file.part"
	mv "$file.part" "$file"
done
