package job

import (
	"bytes"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/wire"
)

// TestNameCheck: a name that a later row has is no error, nor is one of rows without names.
func TestNameCheck(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       func(*config.Config)
		records      [][]string
		done         bool
		fails, warns string
	}{
		{"nothing configured", func(*config.Config) {}, nil, true, "", ""},
		{"first row", func(c *config.Config) { c.Pipeline.Variables = []string{"b"} }, [][]string{{"a", "b"}}, true, "", ""},
		{"later row", func(c *config.Config) { c.Pipeline.Variables = []string{"b", "a"} }, [][]string{{"a"}, {"a"}, {"b"}}, true, "", ""},
		{"missing", func(c *config.Config) { c.Pipeline.Variables = []string{"a", "c"} }, [][]string{{"a"}, {"b"}}, false, `pipeline.variables: there is no variable "c"; the file has a, b`, ""},
		{"no names", func(c *config.Config) { c.Pipeline.Variables = []string{"c"} }, [][]string{nil}, true, "", ""},
		{"no rows", func(c *config.Config) { c.Pipeline.Variables = []string{"c"} }, nil, false, "", ""},
		{"inputs", func(c *config.Config) { c.Model.Exogenous = []string{"a"} }, [][]string{{"a"}, {"b"}}, true, "", ""},
		{"all inputs", func(c *config.Config) { c.Model.Exogenous = []string{"a"} }, [][]string{{"a"}}, false, "nothing is left to forecast", ""},
		{"many", func(c *config.Config) { c.Pipeline.Variables = []string{"z"} }, [][]string{strings.Split("abcdefghij", "")}, false, `the file has a, b, c, d, e, f, g, h, i, j`, ""},
		{"too many", func(c *config.Config) { c.Pipeline.Variables = []string{"z"} }, [][]string{strings.Split("abcdefghijkl", "")}, false, `the file has a, b, c, d, e, f, g, h, i, j and 2 more`, ""},
		{"bounds", func(c *config.Config) { c.Model.Bounds = []string{"* >= 0", "c <= 1"} }, [][]string{{"a"}}, false, "", `model.bounds: there is no variable \"c\"`},
	} {
		cfg := config.Default()
		cfg.Input.Set(&wire.FileInput{Path: "data.csv"})
		c.change(cfg)
		n := newNameCheck(cfg)
		for _, names := range c.records {
			n.add(names)
		}
		if n.done() != c.done {
			t.Errorf("%s: done = %v", c.name, n.done())
		}
		var log bytes.Buffer
		err := n.result(logtest.New(&log))
		if (err != nil) != (c.fails != "") || err != nil && !strings.HasSuffix(err.Error(), c.fails) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.fails)
		}
		if (log.Len() > 0) != (c.warns != "") || !strings.Contains(log.String(), c.warns) {
			t.Errorf("%s: log %s, want %q", c.name, &log, c.warns)
		}
	}
}
