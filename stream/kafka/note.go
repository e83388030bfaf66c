package kafka

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/stream"
)

// note is the content of the metadata of a commit.
type note struct {
	partitions int         // number of partitions of the topic at the commit; 0 = unknown
	mark       stream.Mark // mark of a message of the log
	text       string      // text of the caller
}

const noteVersion = "v2"

func (n *note) String() string {
	return fmt.Sprintf("%s %d %d:%016x %s", noteVersion, n.partitions, n.mark.Offset, n.mark.Hash, n.text)
}

// parseNote reverses String. A text in another format is a text of the caller.
func parseNote(s string) note {
	f := strings.SplitN(s, " ", 4)
	if len(f) != 4 || f[0] != noteVersion {
		return note{text: s}
	}
	n := note{text: f[3]}
	offset, hash, _ := strings.Cut(f[2], ":")
	var errs [3]error
	n.partitions, errs[0] = strconv.Atoi(f[1])
	n.mark.Offset, errs[1] = strconv.ParseInt(offset, 10, 64)
	n.mark.Hash, errs[2] = strconv.ParseUint(hash, 16, 64)
	if errors.Join(errs[:]...) != nil || n.partitions < 0 || n.mark.Offset < 0 || n.String() != s {
		return note{text: s}
	}
	return n
}
