package file

import (
	"bytes"
	"fmt"
	"os"
	"regexp"

	"github.com/parquet-go/parquet-go"
)

// ownLine matches the first line of the files of this package that are text: both headers of CSV,
// JSON lines and the measurements of line protocol.
var ownLine = regexp.MustCompile(`^(time,series,target,horizon,model,yhat|unique_id,ds,cutoff,y,yhat|\{.*"yhat":|(forecast|forecast_(metrics|events|experts)|observation),[^ ]*=)`)

// CheckForeign returns an error when the file at path has content that no sink of this package has
// written, and that a sink would overwrite.
func CheckForeign(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // nothing to lose; whoever opens the file reports the error
	}
	f, err := os.Open(path) // #nosec G304 -- the user has named it
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, sampleBytes)
	n, _ := f.ReadAt(head, 0) // shorter files end with io.EOF
	head = head[:n]
	own := ownLine.Match(head)
	if bytes.HasPrefix(head, []byte("PAR1")) {
		p, err := parquet.OpenFile(f, info.Size())
		own = err != nil // torn: nothing can read it
		if !own {
			_, own = p.Schema().Lookup("yhat")
		}
	}
	if own {
		return nil
	}
	return fmt.Errorf("%q exists and is no file of forecasts, so it is not overwritten: name another file, or remove it first", path)
}
