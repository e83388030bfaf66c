package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/orffvar/forecaster/stream/file"
)

// Files of the sinks of this package, also torn ones and those that only have observations so far,
// may be overwritten; anything else of the user's may not.
func TestCheckForeign(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "table.parquet")
	if err := parquet.WriteFile(table, []struct{ A float64 }{{1}}); err != nil {
		t.Fatal(err)
	}
	mine, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "x")
	for content, own := range map[string]bool{
		"": true,
		"time,series,target,horizon,model,yhat,yhat_lower,yhat_upper,origin\n1": true,
		"unique_id,ds,cutoff,y,yhat\n":                                          true,
		`{"time":"2026-01-01T00:00:00Z","series":"s","target":"a","yhat":1}`:    true,
		"observation,host=web1 cpu=0.55 1767225610000000000\n":                  true,
		"forecast_events,id=s,kind=gap text=\"x\" 1\n":                          true,
		string(mine[:len(mine)-4]):                                              true, // nothing can read it
		string(mine):                                                            false,
		"time,a\n1,2\n":                                                         false,
		"unique_id,ds,y\n":                                                      false,
		"{\"time\":1,\"values\":{}}\n{\"yhat\":1}\n":                            false,
		"cpu,host=web1 usage=1 1\n":                                             false,
		"forecast,a\n1,2\n":                                                     false,
		"forec":                                                                 true,
		"time,series,ta":                                                        true,
		"\x00\x00\x00":                                                          true,
		"{\"time\":\"2026-01-01T00:0":                                           true,
		"time,series\n":                                                         false,
		"notes":                                                                 false,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := file.CheckForeign(path); (err == nil) != own {
			t.Errorf("%.40q: %v", content, err)
		}
	}
	for _, other := range []string{dir, filepath.Join(dir, "missing"), "-", os.DevNull} {
		if err := file.CheckForeign(other); err != nil {
			t.Error(err)
		}
	}
}
