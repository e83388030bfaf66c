package file

import (
	"math"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/lazyregexp"
)

// numberStyle is the kind of value that a style shows a number as.
type numberStyle int

const (
	plainStyle    numberStyle = iota
	dateStyle                 // a date, a time of day, or both
	durationStyle             // hours, also more than 24
)

// readStyles reads the numberStyle of each cell style.
func (w *workbook) readStyles(name string) error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := w.unmarshal(name, &styles); err != nil {
		return err
	}
	own := make(map[int]string)
	for _, f := range styles.Formats {
		own[f.ID] = f.Code
	}
	for _, c := range styles.Cells {
		code, given := own[c.Format]
		style := plainStyle
		switch {
		case given && elapsed().MatchString(code) || !given && c.Format == 46:
			style = durationStyle
		case given && isDateCode(code) || !given && isDateFormat(c.Format):
			style = dateStyle
		}
		w.styles = append(w.styles, style)
	}
	return nil
}

// isDateFormat reports whether a built-in number format shows dates: ECMA-376, part 1, 18.8.30. Format 46 shows
// durations.
func isDateFormat(id int) bool {
	return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 50 && id <= 58 || id == 45 || id == 47
}

// literal matches the parts of a format code that are no date fields: literal text, colours, conditions and
// languages. elapsed matches durations such as [h]:mm.
var (
	literal = lazyregexp.New(`"[^"]*"|\\.|[_*].|\[[^\]]*\]`)
	elapsed = lazyregexp.New(`(?i)\[(h+|m+|s+)\]`)
)

func isDateCode(code string) bool {
	code, _, _ = strings.Cut(literal().ReplaceAllString(code, ""), ";")
	return strings.ContainsAny(strings.ToLower(code), "dmyhs") && !strings.EqualFold(code, "general")
}

// lastSerial is the serial number of 9999-12-31, the last date of Excel.
const lastSerial = 2958466

// dateText returns a serial number of days as date and time, and below one day as time of day; "" beyond the last
// date. Times are rounded to milliseconds: formulas that add steps have larger rounding errors.
func dateText(days float64, from1904 bool) string {
	if !(days >= 0 && days < lastSerial) {
		return ""
	}
	ms := int64(math.Round(days * 86400_000))
	if days < 1 && !from1904 {
		return time.UnixMilli(ms).UTC().Format("15:04:05.999")
	}
	began := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC) // one day early, because Excel counts 1900-02-29
	switch {
	case from1904:
		began = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case days < 60:
		began = began.AddDate(0, 0, 1)
	}
	at := time.UnixMilli(began.UnixMilli() + ms).UTC()
	if ms%86400_000 == 0 {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05.999")
}
