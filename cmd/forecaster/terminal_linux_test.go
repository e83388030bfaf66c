package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestExperimentsStop: experiments stop when their context ends, and leave an empty line on the terminal.
func TestExperimentsStop(t *testing.T) {
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer screen.Close()
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &app{stderr: terminal}
	want := ""
	for _, e := range []struct{ table, stage string }{
		{"6.4", "section 6.4, vector fields"}, {"6.5", "table 6.5, 50 samples per task"}, {"6.7", "figure 6.7: 2 fields"}, {"6.8", "figures 6.8 and 6.9"},
	} {
		if _, err := a.runChapter6(ctx, e.table, "", 2, 100); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", e.table, err)
		}
		want += "\r\033[K" + e.stage + "\r\033[K"
	}
	terminal.Close()
	got, _ := io.ReadAll(screen) // the other side is closed: Linux reports an error after the last byte
	if string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
