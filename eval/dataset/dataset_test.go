package dataset

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func TestMacrodata(t *testing.T) {
	d := Macrodata()
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	s := d.Series[0]
	if len(s.Rows) != 203 || d.Dim() != 12 {
		t.Fatalf("%d rows of %d variables, want 203 of 12", len(s.Rows), d.Dim())
	}
	if got := time.Unix(0, s.Times[202]).UTC().Format(time.DateOnly); got != "2009-07-01" {
		t.Errorf("last quarter begins %s, want 2009-07-01", got)
	}
	if d.Variables[0] != "realgdp" || s.Rows[0][0] != 2710.349 || s.Rows[1][11] != .74 {
		t.Errorf("first values %s %v, %v", d.Variables[0], s.Rows[0], s.Rows[1])
	}
}

func TestReadMissingCell(t *testing.T) {
	d, err := Read("x", strings.NewReader("time,a,b\n0,1.5,\n1,,2\n"))
	if err != nil {
		t.Fatal(err)
	}
	rows := d.Series[0].Rows
	if rows[0][0] != 1.5 || !math.IsNaN(rows[0][1]) || !math.IsNaN(rows[1][0]) || rows[1][1] != 2 || d.Series[0].Times[1] != 1 {
		t.Errorf("rows = %v", rows)
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x: header: EOF"},
		{"time,a\nyesterday,1\n", `x: line 2: "yesterday" is neither a step number nor an RFC 3339 time`},
		{"time,a\n0,1\n1,one\n", `x: line 3, column "a": "one" is not a number`},
		{"time,a\n0,1,2\n", "x: record on line 2: wrong number of fields"},
	} {
		if _, err := Read("x", strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func Example() {
	d := Macrodata()
	fmt.Println(len(d.Series[0].Rows), "quarters of", d.Variables)
	// Output:
	// 203 quarters of [realgdp realcons realinv realgovt realdpi cpi m1 tbilrate unemp pop infl realint]
}
