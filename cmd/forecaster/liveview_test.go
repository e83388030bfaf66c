package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/tools/logtest"
)

// The terminal shows one picture at a time: the cursor moves up by the lines of the last picture and clears them. A
// file receives no pictures.
func TestPicturesAreRedrawnInPlace(t *testing.T) {
	for on, want := range map[bool]string{false: "", true: "a\nb\n\033[2A\033[Jc\n\033[1A\033[J"} {
		var out bytes.Buffer
		v := newLiveView(&out)
		v.on = v.on || on
		v.draw("a\nb")
		v.draw("c")
		v.clear()
		v.clear()
		if got := out.String(); got != want {
			t.Errorf("terminal: %t: %q, want %q", on, got, want)
		}
	}
}

// The bar has 40 columns, also before a message is known and after the last one.
func TestPictureOfADemo(t *testing.T) {
	live := job.NewLive(config.Default(), logtest.Discard(), "")
	live.Address = "http://here"
	for _, c := range []struct {
		records, total int64
		full           int
	}{{0, 0, 0}, {0, 10, 0}, {5, 20, 10}, {1, 1, 40}, {1, 81, 0}} {
		got := new(demo).picture(live, new(job.LastForecasts), c.records, c.total, 2*time.Second)
		head, bar, _ := strings.Cut(got, "\n")
		if bar = strings.SplitN(bar, " ", 2)[0]; head != "Live page: http://here" || bar != strings.Repeat("█", c.full)+strings.Repeat("░", 40-c.full) {
			t.Errorf("%d of %d: %q", c.records, c.total, got)
		}
	}
}
