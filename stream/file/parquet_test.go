package file_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
)

// TestParquetSink writes forecasts and reads them with the library alone.
func TestParquetSink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forecasts.parquet")
	s, err := filesink.CreateParquet(path, []float64{.5, .9})
	if err != nil {
		t.Fatal(err)
	}
	series := &stream.Series{Name: "host1", Variables: []string{"cpu", "mem"}}
	for h := 1; h <= 3; h++ {
		b := &stream.Batch{Forecasts: []stream.Forecast{{
			Series: series, Model: "auto", Origin: 1e9, Time: int64(h+1) * 1e9, Horizon: h, Yhat: []float64{float64(h), -.25},
			Lower: []float64{0, math.NaN(), -1, -2}, Upper: []float64{4, math.NaN(), 5, 2},
		}}}
		if err := s.Write(context.Background(), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Time    int64    `parquet:"time"`
		Series  string   `parquet:"series"`
		Target  string   `parquet:"target"`
		Horizon int32    `parquet:"horizon"`
		Yhat    float64  `parquet:"yhat"`
		Lower   *float64 `parquet:"yhat_lower"`
		Level   *float64 `parquet:"level"`
	}
	rows, err := parquet.ReadFile[row](path)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3*2*2 {
		t.Fatalf("%d rows, want one for each horizon, variable and level", len(rows))
	}
	for i, r := range rows {
		h, target, level := i/4+1, series.Variables[i/2%2], []float64{.5, .9}[i%2]
		yhat := []float64{float64(h), -.25}[i/2%2]
		if r.Time != int64(h+1)*1e9 || r.Series != "host1" || r.Target != target || int(r.Horizon) != h || r.Yhat != yhat || *r.Level != level {
			t.Errorf("row %d is %+v", i, r)
		}
		if (r.Lower == nil) != (target == "mem" && level == .5) {
			t.Errorf("row %d: a bound that is not calibrated is missing, the others are not", i)
		}
	}
}

// TestParquetRefused: a file that is not Parquet is refused as such.
func TestParquetRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, []byte("time,a\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := file.OpenSource(path, file.SourceConfig{}); err == nil {
		t.Error("a file of text was read as Parquet")
	}
}

// Numbers of a Parquet file have no separators of thousands, however they look as text.
func TestParquetFractions(t *testing.T) {
	type row struct {
		Time int64   `parquet:"time"`
		A    float64 `parquet:"a"`
	}
	var rows []row
	for i := range 40 {
		rows = append(rows, row{int64(1767225600 + 3600*i), []float64{950, 1.066, 870, 12.125}[i%4]})
	}
	path := filepath.Join(t.TempDir(), "data.parquet")
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	src, err := file.OpenSource(path, file.SourceConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	messages := make([]stream.Message, len(rows))
	n, err := src.Read(t.Context(), messages)
	if err != nil || n != len(rows) {
		t.Fatal(n, err)
	}
	d := src.Decoder()
	for i := range messages {
		var r stream.Record
		if err := d.Decode(&r, &messages[i]); err != nil || r.Values[0] != rows[i].A {
			t.Errorf("row %d: %v, %v; want %v", i, r.Values, err, rows[i].A)
		}
	}
}
