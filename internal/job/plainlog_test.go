package job

import (
	"bytes"
	"log/slog"
	"testing"
)

func TestPlainLog(t *testing.T) {
	var b bytes.Buffer
	log := NewPlainLog(&b, slog.LevelInfo)
	log.Warn("x.csv: no such variable")
	log.Debug("not wanted")
	log.With("series", "a b").Info("learnt", "rows", 3, "msg", "kept out")
	log.WithGroup("g").Error("failed", "msg", "in a group")
	const want = "warning: x.csv: no such variable\ninfo: learnt series=\"a b\" rows=3\nerror: failed g.msg=\"in a group\"\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
}
