#!/bin/sh
# Writes the digests of the images that files name behind their tags, as the registry has them now, so that the bytes are
# pinned, too. Usage: pin.sh FILE... (needs docker with buildx, and the network)
set -eu

for file; do
	sed -n 's/^ *image: *\([^ ]*\)$/\1/p; s/^FROM .*\(golang:[^ ]*\) AS .*/\1/p' "$file" | grep -v ':local$' | sort -u | while read -r image; do
		tag=${image%%@*}
		digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$tag")
		case $digest in
		sha256:*) ;;
		*)
			echo "pin.sh: docker says \"$digest\" for the digest of $tag" >&2
			exit 1
			;;
		esac
		sed -i.part "s|$image\\( AS .*\\)\\{0,1\\}\$|$tag@$digest\\1|" "$file" && rm "$file.part"
		echo "$tag@$digest"
	done
done
