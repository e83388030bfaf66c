package file

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// A part of a file has the same messages as the whole one, those that were not asked for apart: the
// same offsets, blank lines and refused lines included.
func TestPartOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	var b strings.Builder
	b.WriteString("time,v\n")
	for i := range 50 {
		fmt.Fprintf(&b, "%d,%d\n", 1700000000+i, i)
		if i%10 == 3 {
			b.WriteString("\n")
		}
		if i == 45 {
			b.WriteString("nonsense,1\n")
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(c SourceConfig) (all []string) {
		s, err := OpenSource(path, c)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		messages := make([]stream.Message, 7)
		for {
			n, err := s.Read(t.Context(), messages)
			for _, m := range messages[:n] {
				all = append(all, fmt.Sprintf("%d %s", m.Offset, m.Value))
			}
			if errors.Is(err, io.EOF) {
				return all
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	whole := read(SourceConfig{})
	since := int64(1700000040) * 1e9
	for name, got := range map[string][]string{
		"last 11":               read(SourceConfig{Last: 11}),
		"since":                 read(SourceConfig{Since: since}),
		"last 20, since":        read(SourceConfig{Last: 20, Since: since}),
		"more than there are":   read(SourceConfig{Last: 1000})[40:],
		"last of a sorted file": read(SourceConfig{Last: 11, Sort: true}),
	} {
		want := whole[40:]
		if strings.HasSuffix(name, "sorted file") { // whose blank lines stay where they were read
			got, want = append([]string(nil), got...), append([]string(nil), want...)
			for i := range got {
				_, got[i], _ = strings.Cut(got[i], " ")
				_, want[i], _ = strings.Cut(want[i], " ")
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got\n%q\nwant\n%q", name, got, want)
		}
	}
	if err := os.WriteFile(path, []byte("time,v\n1700000000,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSource(path, SourceConfig{Since: 2e18})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err = s.Read(t.Context(), make([]stream.Message, 1)); err == nil || !strings.Contains(err.Error(), "no row is of 2033-05-18T03:33:20Z or later") {
		t.Errorf("error %v", err)
	}
}
