package wire

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/recorded"
)

// limitOf finds the limits that an error names: of a range, whose brackets tell whether an end is in it, or of one side.
var limitOf = regexp.MustCompile(`must (?:lie in ([[(])(\S+), (\S+)([\])])|be (>=|>) (\S+)|be (<=|<) (\S+)), got`)

// neighbour returns the value next to a limit, above for a side of 1, below for -1. kind is the error of a setting that has
// a text: it names the kind of value. Limits of fractions have fewer than nine digits.
func neighbour(t *testing.T, limit, kind string, side int) string {
	t.Helper()
	if strings.Contains(kind, "must be a duration") {
		d, err := time.ParseDuration(limit)
		if err != nil {
			t.Fatal(err)
		}
		return (d + time.Duration(side)).String()
	}
	number, size := strings.CutSuffix(limit, "GiB")
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		t.Fatal(err)
	case size:
		return fmt.Sprint(int(v)<<30 + side)
	case strings.Contains(kind, "finite number"):
		return fmt.Sprint(v + float64(side)*1e-9*math.Max(1, math.Abs(v)))
	}
	return fmt.Sprint(int(v) + side)
}

// TestLimitsAreAsNamed: the value at a limit that an error names is accepted, and its neighbour is refused. testdata/limits.txt
// lists the limits; UPDATE_GATES=1 writes it.
func TestLimitsAreAsNamed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	bases := map[string]string{
		"input.kafka": fromKafka, "input.file": fromFile, "output.influxdb": toInflux, "output.remote_write": toRemote, "model.season": onGrid, "pipeline.wait": onGrid,
	}
	var list strings.Builder
	for _, row := range regexp.MustCompile("(?m)^- `([a-z_]+[.][a-z_.]+)`").FindAllStringSubmatch(string(page), -1) {
		key, base := row[1], simulated+" model.type=kernelvar"
		for prefix, with := range bases {
			if strings.HasPrefix(key, prefix) {
				base = with
			}
		}
		refused := func(value string) string {
			_, err := loaded(t, "", append(strings.Fields(base), key+"="+value)...)
			for line := range strings.Lines(fmt.Sprint(err)) {
				if strings.Contains(line, key+": ") {
					return line
				}
			}
			return ""
		}
		for _, extreme := range []string{"-1000000000000", "1000000000000", "-1000000h", "1000000h", "0"} {
			m := limitOf.FindStringSubmatch(refused(extreme))
			if m == nil || strings.Contains(list.String(), key+" "+m[0]) {
				continue
			}
			fmt.Fprintln(&list, key, m[0])
			kind := refused("text")
			for _, end := range []struct {
				limit, bound string
				outwards     int
			}{{m[2], m[1], -1}, {m[3], m[4], 1}, {m[6], m[5], -1}, {m[8], m[7], 1}} {
				if end.limit == "" {
					continue
				}
				in, out := end.limit, ""
				if strings.ContainsAny(end.bound, "[]=") {
					out = neighbour(t, end.limit, kind, end.outwards)
				} else {
					in, out = neighbour(t, end.limit, kind, -end.outwards), end.limit
				}
				if got := limitOf.FindString(refused(in)); got == m[0] {
					t.Errorf("%s=%s: %s", key, in, refused(in))
				}
				if got := limitOf.FindString(refused(out)); got != m[0] {
					t.Errorf("%s=%s: %q, want %s", key, out, refused(out), m[0])
				}
			}
		}
	}
	recorded.Check(t, filepath.Join("testdata", "limits.txt"), list.String())
}
