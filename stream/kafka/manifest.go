package kafka

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// manifest identifies a snapshot, up to one of its checkpoints, by place and checksum. The metadata of a commit are
// the manifests of three snapshots: the snapshot of the committed offset, the one before it, and the one before
// that, which is being removed.
type manifest struct {
	id     string // unique, because snapshots are never overwritten
	next   int64  // offset to resume from
	first  int64  // offset of its first chunk in the state topic
	chunks int
	sum    [sha256.Size]byte // checksum of all chunks together

	written time.Time // time of its message in the topic; not part of the text
}

// none reports whether m identifies no snapshot.
func (m *manifest) none() bool { return m.id == "" }

func (m *manifest) String() string {
	return fmt.Sprintf("%s,%d,%d,%d,%x", m.id, m.next, m.first, m.chunks, m.sum)
}

const (
	manifestMark = "snapshots3" // includes the version of the format
	maxManifests = 3
	maxChunks    = 1 << 20
)

// formatManifests joins the manifests that are not empty by blanks.
func formatManifests(list ...manifest) string {
	var b strings.Builder
	b.WriteString(manifestMark)
	for i := range list {
		if !list[i].none() {
			b.WriteByte(' ')
			b.WriteString(list[i].String())
		}
	}
	return b.String()
}

var errManifest = errors.New("not the metadata of a checkpoint")

// parseManifests reverses formatManifests.
func parseManifests(text string) ([]manifest, error) {
	words := strings.Split(text, " ")
	if words[0] != manifestMark || len(words) < 2 || len(words) > 1+maxManifests {
		return nil, errManifest
	}
	var list []manifest
	for _, w := range words[1:] {
		m, err := parseManifest(w)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func parseManifest(text string) (manifest, error) {
	f := strings.Split(text, ",")
	if len(f) != 5 || f[0] == "" || strings.ContainsAny(f[0], "/ ") {
		return manifest{}, errManifest
	}
	m := manifest{id: f[0]}
	var errs [4]error
	m.next, errs[0] = strconv.ParseInt(f[1], 10, 64)
	m.first, errs[1] = strconv.ParseInt(f[2], 10, 64)
	m.chunks, errs[2] = strconv.Atoi(f[3])
	var sum []byte
	sum, errs[3] = hex.DecodeString(f[4])
	copy(m.sum[:], sum)
	if errors.Join(errs[:]...) != nil || len(sum) != len(m.sum) || m.next < 0 || m.first < 0 || m.chunks < 1 || m.chunks > maxChunks {
		return manifest{}, errManifest
	}
	if m.String() != text {
		return manifest{}, errManifest // not the canonical text
	}
	return m, nil
}
