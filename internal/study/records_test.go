package study

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// Records that are read from the file for each model hold nothing, and give what held ones give: refused
// lines, too, and no row that was written to the file later.
func TestRecordsOfAFileAreReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.csv")
	var b strings.Builder
	b.WriteString("time,a,b\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "%d,%d,%d\n", 1700000000+60*i, i%7, i*i%11)
		if i%100 == 50 {
			b.WriteString("nonsense,1,2\n")
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Input.Set(&wire.FileInput{Path: path, Format: "csv"})
	c.Model.Type, c.Model.Horizon = "var1", 3
	open := func() (stream.Source, stream.Decoder, error) {
		src, err := wire.OpenFile(c)
		if err != nil {
			return nil, nil, err
		}
		return src, src.Decoder(), nil
	}
	records, err := countRecords(t.Context(), path, open, 1000)
	if err != nil {
		t.Fatal(err)
	}
	src, decoder, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	held, err := ReadRecords(t.Context(), path, src, decoder)
	if err != nil {
		t.Fatal(err)
	}
	if records.list != nil || records.Len() != 1010 || held.Len() != 1010 {
		t.Fatalf("%d records, %d of them held, want 1010, like %d", records.Len(), len(records.list), held.Len())
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("1800000000,1000,1000\n"); err != nil {
		t.Fatal(err)
	}
	outcomes := make([]*Outcome, 2)
	for i, r := range []*Records{records, held} {
		samples, err := r.Outline(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if samples.Len() != 1000 || samples.Series[0].Rows != nil || samples.Refusals.Total() != 10 {
			t.Fatalf("%d rows, %d of them held, %d refused", samples.Len(), len(samples.Series[0].Rows), samples.Refusals.Total())
		}
		o := Options{Horizons: []int{1, 3}, From: 100, ScaleRows: 50, Seeds: 1, Pooled: true}
		if outcomes[i], err = EvaluateModel(t.Context(), c, r, samples, o, new(atomic.Int64)); err != nil {
			t.Fatal(err)
		}
		for k := range outcomes[i].Results {
			outcomes[i].Results[k].SamplesPerSecond = 0
		}
	}
	text := func(o *Outcome) string { return fmt.Sprintf("%+v %+v %v", o.Results, *o.Mean, o.Losses) }
	if got, want := text(outcomes[0]), text(outcomes[1]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
