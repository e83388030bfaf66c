package cells

import (
	"math"
	"strings"
	"testing"
)

// TestNumbers: a cell is a number, a missing value or an error, by the marks of its file.
func TestNumbers(t *testing.T) {
	nan := math.NaN()
	const number, finite = "a number", "a finite number; a missing value is an empty field"
	for _, c := range []struct {
		decimal, thousands byte
		missing            []string
		cells              map[string]any // value, or detail of the error
	}{
		{0, 0, nil, map[string]any{
			"1": 1., " -1.5\t": -1.5, "1e3": 1000., "+2": 2., ".5": .5, "\u22127.5": -7.5, "": nan, " ": nan, "NA": nan, "n/a": nan, "-": nan, `\N`: nan, "None": nan, "unavailable": nan,
			"true": 1., "True": 1., "TRUE": 1., "false": 0., "False": 0., "FALSE": 0., "#DIV/0!": nan, "#REF!": nan, "#VALUE!": nan, "#NUM!": nan, "#NAME?": nan, "#NULL!": nan,
			"x": number, "1,5": number, "tRUE": number, "na": number, "1 2": number, "inf": finite, "-Infinity": finite, "1e999": finite,
		}},
		{'.', 0, []string{"-999", "gone", "1e3"}, map[string]any{"-999": nan, "-999.0": nan, "-9.99e2": nan, "-998": -998., "999": 999., "gone": nan, "1000": nan, "NA": nan, "x": number}},
		{',', 0, []string{"-9,5"}, map[string]any{"1,5": 1.5, "-9,50": nan, "1.5": number, "1": 1., "1,2,3": number, "1,5e2": 150.}},
		{',', '.', nil, map[string]any{"1.234,5": 1234.5, "1.234.567": 1234567., "1.23": number, "12.345": 12345., "1234.567": number, "0.123": number, ".123": number, "1.234,": 1234., "-1.234": -1234., "1.234.56": number, "1.23.456": 123456., "1.234,567.8": number}},
		{0, ',', nil, map[string]any{"1,234.5": 1234.5, "1,234": 1234., "12,34,567": 1234567., "1,2,345": number, "1,5": number, "1234": 1234., "1,234e2": 123400., "1,23e2": number, "1.5,000": number}},
		{0, ' ', nil, map[string]any{"1 234": 1234., "1\u00a0234.5": 1234.5, "1\u202f234": 1234., "1\u2009234": 1234., "1 23": number}},
		{0, '\'', nil, map[string]any{"1'234": 1234., "1’234.5": 1234.5}},
	} {
		n := NewNumbers(c.decimal, c.thousands, c.missing)
		if plain := c.decimal != ',' && c.thousands == 0 && c.missing == nil; n.Plain() != plain {
			t.Errorf("decimal %q, thousands %q, missing %q: plain %v", c.decimal, c.thousands, c.missing, n.Plain())
		}
		for cell, want := range c.cells {
			v, err := n.Parse([]byte(cell))
			switch want := want.(type) {
			case string:
				if err == nil || err.Detail != want {
					t.Errorf("%q with decimal %q, thousands %q: %v, %v, want %s", cell, c.decimal, c.thousands, v, err, want)
				}
			case float64:
				if err != nil || v != want && (v == v || want == want) {
					t.Errorf("%q with decimal %q, thousands %q: %v, %v, want %v", cell, c.decimal, c.thousands, v, err, want)
				}
			}
		}
	}
	for _, spelling := range Missing {
		if !IsMissing([]byte(spelling), nil) || IsMissing([]byte(spelling+"x"), nil) {
			t.Error(spelling)
		}
	}
	if !IsMissing(nil, nil) || !IsMissing([]byte("a"), []string{"b", "a"}) || IsMissing([]byte("a"), []string{"b"}) {
		t.Error("own spellings")
	}
}

// TestUnitsOfCells: the unit of a number, the number without it, and the command that removes it.
func TestUnitsOfCells(t *testing.T) {
	strip := func(program string) string { return "sed -E '" + program + "' IN > OUT" }
	after := func(unit, to string) string {
		return strip("s/([0-9])" + unit + `([[:space:]",;|]|$)/\1` + to + `\2/g`)
	}
	for _, c := range []struct{ cell, unit, without, command string }{
		{"12", "", "12", ""}, {"-1.5e3", "", "-1.5e3", ""}, {"x", "", "x", ""}, {"1.2.3x4", "", "1.2.3x4", ""}, {"9:30 PM", "", "9:30 PM", ""},
		{"20.2%", "%", "20.2", after("%", "")}, {"-3 %", " %", "-3", after(" %", "")}, {"20\u00a0MB", "\u00a0MB", "20", after("\u00a0MB", "")}, {"5km/h", "km/h", "5", after(`km\/h`, "")}, {"1,200 rpm", " rpm", "1,200", after(" rpm", "")},
		{"1.5k", "k", "1.5", after("k", "e3")}, {"2 M", " M", "2", after(" M", "e6")}, {"3G", "G", "3", after("G", "e9")}, {"4T", "T", "4", after("T", "e12")}, {"1e5W", "W", "1e5", after("W", "")},
		{"€20.17", "€", "20.17", strip(`s/€([-+.0-9])/\1/g`)}, {"-$ 5", "$ ", "-5", strip(`s/\$ ([-+.0-9])/\1/g`)}, {"+£.5", "£", "+.5", strip(`s/£([-+.0-9])/\1/g`)}, {"$-5", "$", "-5", strip(`s/\$([-+.0-9])/\1/g`)},
		{"1.5D+03", "", "1.5D+03", strip(`s/([0-9.])[dD]([-+]?[0-9])/\1e\2/g`)}, {"(2,767)", "", "(2,767)", strip(`s/\(([0-9.,]+)\)/-\1/g`)}, {"()", "", "()", ""}, {"7 pm", "", "7 pm", after(" pm", "")}, {"7toolongs", "", "7toolongs", ""},
	} {
		unit := UnitOf(c.cell)
		if without := string(WithoutUnit([]byte(c.cell), c.unit)); unit != c.unit || without != c.without || Stripped(c.cell) != c.command {
			t.Errorf("%q: unit %q, without it %q, %s\nwant %q, %q, %s", c.cell, unit, without, Stripped(c.cell), c.unit, c.without, c.command)
		}
	}
	if got := string(WithoutUnit([]byte("12kW"), "MW")); got != "12kW" {
		t.Errorf("a cell with another unit became %q", got)
	}
	for _, c := range []struct{ unit, other, command string }{
		{"MB", "GB", after("GB", "e3MB")}, {"GB", "MB", after("MB", "e-3GB")}, {" MB", " kB", after(" kB", "e-3 MB")}, {"km/h", "Mm/h", after(`Mm\/h`, `e3km\/h`)}, {"K", "M", after("M", "e3K")}, {"B", "kB", after("kB", "e3B")},
		{"MB", "MB", ""}, {"MB", "MW", ""}, {"kg", "m", ""}, {"MiB", "GiB", ""}, {"k", "K", ""},
	} {
		if got := Scaled(c.unit, c.other); got != c.command {
			t.Errorf("%s to %s: %s, want %s", c.other, c.unit, got, c.command)
		}
	}
}

// TestHints: the remedy for a cell that is no number, by the unit and the marks of its column.
func TestHints(t *testing.T) {
	set := func(field, value string) string { return field + "=" + value }
	for _, c := range []struct {
		cell, unit string
		thousands  byte
		want       string
	}{
		{"x", "", 0, ""}, {" 12 MB ", "", 0, ": make it one with  sed -E 's/([0-9]) MB([[:space:]\",;|]|$)/\\1\\2/g' IN > OUT"},
		{"2 GB", " MB", 0, ": bring it to the unit of the column with  sed -E 's/([0-9]) GB([[:space:]\",;|]|$)/\\1e3 MB\\2/g' IN > OUT"},
		{"2 kg", "MB", 0, ", as other cells of the column are in MB: write it in this unit, or leave it empty"},
		{"1'234", "", 0, ": say CSVConfig.Thousands='"}, {"1’234", "", 0, ": say CSVConfig.Thousands='"}, {"1\u202f234", "", 0, ": say CSVConfig.Thousands= "}, {"1,234,567", "", 0, ": say CSVConfig.Thousands=,"}, {"1.234.567", "", 0, ": say CSVConfig.Thousands=."},
		{"1,234,567", "", ',', ""}, {"1,234", "", 0, ""}, {"1.234", "", 0, ""}, {"1,234.5", "", 0, ": say CSVConfig.Thousands=,"}, {"1.234,5", "", 0, ": say CSVConfig.Thousands=."}, {"0,123,456", "", 0, ""},
	} {
		if got := Hint([]byte(c.cell), c.unit, c.thousands, set); got != c.want {
			t.Errorf("%q in %q: %s, want %s", c.cell, c.unit, got, c.want)
		}
	}
}

func TestTextsOfCells(t *testing.T) {
	for clock, want := range map[string]string{"9:30": "d 09:30", "09:30:15.25": "d 09:30:15.25", "9.30": "d 09:30", "18.00.00.5": "d 18:00:00.5", "6:00 PM": "d 06:00 PM", "12": "d 12", "": "d ", "7": "d 7"} {
		if got := string(JoinClock(nil, []byte("d"), []byte(clock))); got != want {
			t.Errorf("%q: %q, want %q", clock, got, want)
		}
	}
	long := strings.Repeat("x", 41)
	for text, want := range map[string]string{"": "", long[1:]: long[1:], long: long[1:] + "..."} {
		if got := Clip([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := List([]string{"a", "b,c", `d"e`}); got != `a,"b,c","d""e"` {
		t.Error(got)
	}
	if Blank("MB") != " MB" || Blank("\u00a0MB ") != " MB" {
		t.Error("a blank before a unit")
	}
}
