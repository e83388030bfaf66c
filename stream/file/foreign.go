package file

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/orffvar/forecaster/internal/lazyregexp"
)

// ownLine matches the first line of every text file that package filesink writes: both headers of CSV, a JSON
// line, a measurement of line protocol.
var ownLine = lazyregexp.New(`^(time,series,target,horizon,model,yhat|unique_id,ds,cutoff,y,yhat|\{.*"yhat":|(forecast|forecast_(metrics|events|experts)|observation),[^ ]*=)`)

// beginnings are the first characters of the lines that ownLine matches.
var beginnings = []string{"time,series,target,", "unique_id,ds,cutoff,", `{"time":"`, `{"unique_id":`, "forecast,", "forecast_", "observation,"}

const refusal = "%q exists and is no %s, so it is not overwritten: name another file, or remove it first"

// isTorn reports whether a crash may have cut a file of forecasts within its first line.
func isTorn(head []byte) bool {
	return !bytes.Contains(head, []byte("\n")) && slices.ContainsFunc(beginnings, func(b string) bool {
		n := min(len(b), len(head))
		return b[:n] == string(head[:n])
	})
}

// CheckForeign returns an error when the file at path has content that no sink has written: a sink would
// overwrite it. With marks it is for pages and pictures: their first bytes have one of the marks.
func CheckForeign(path string, marks ...string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // nothing to lose; opening the file reports the error
	}
	f, err := os.Open(path) // #nosec G304 -- the user has named it
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, sampleBytes)
	n, _ := f.ReadAt(head, 0)                // shorter files end with io.EOF
	head = bytes.TrimRight(head[:n], "\x00") // a crash leaves zeros where bytes were not synced
	if len(marks) > 0 {
		if slices.ContainsFunc(marks, func(m string) bool { return bytes.Contains(head, []byte(m)) }) {
			return nil
		}
		return fmt.Errorf(refusal, path, "page or picture of forecaster")
	}
	own := ownLine().Match(head) || isTorn(head)
	if bytes.HasPrefix(head, []byte("PAR1")) {
		p, _, err := newParquetReader(f, info.Size())
		own = err != nil || slices.ContainsFunc(p.columns, func(c parquetColumn) bool { return c.name == "yhat" }) // a torn file: nothing can read it
	}
	if own {
		return nil
	}
	return fmt.Errorf(refusal, path, "file of forecasts")
}
