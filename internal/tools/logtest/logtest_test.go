package logtest_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/logtest"
)

// The log writes pairs of key and value, and panics at other arguments.
func TestArgumentsInOrder(t *testing.T) {
	var b strings.Builder
	log := logtest.New(&b)
	log.With("topic", "a").Warn("waiting for a file", "err", "in use")
	if !strings.Contains(b.String(), `msg="waiting for a file" topic=a err="in use"`) {
		t.Error(b.String())
	}
	for what, f := range map[string]func(){
		"swapped": func() { log.Warn("err", "waiting for a file", "in use") },
		"no key":  func() { log.Warn("waiting", []any{5}...) },
		"With":    func() { log.With("a file", "path") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
}
