package file

import (
	"math"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/lazyregexp"
)

// numberStyle is the way in which a style shows a number.
type numberStyle int

const (
	plainStyle    numberStyle = iota
	dateStyle                 // a date, a time of day, or both
	durationStyle             // hours that go beyond a day
)

// readStyles reads which styles of cells show numbers as dates.
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

// isDateFormat reports whether a format without a code is of dates: ECMA-376, part 1, 18.8.30. 46 is a
// duration.
func isDateFormat(id int) bool {
	return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 50 && id <= 58 || id == 45 || id == 47
}

// literal matches what a code of a format shows as it is, and colours, conditions and languages; elapsed a
// duration such as [h]:mm.
var (
	literal = lazyregexp.New(`"[^"]*"|\\.|[_*].|\[[^\]]*\]`)
	elapsed = lazyregexp.New(`(?i)\[(h+|m+|s+)\]`)
)

func isDateCode(code string) bool {
	code, _, _ = strings.Cut(literal().ReplaceAllString(code, ""), ";")
	return strings.ContainsAny(strings.ToLower(code), "dmyhs") && !strings.EqualFold(code, "general")
}

// lastSerial is the number of 9999-12-31, the last date of Excel.
const lastSerial = 2958466

// dateText returns the date of a number of days as a text, the time of day alone below one day; "" without a
// date. Times are those to the millisecond: formulas that add steps lose more.
func dateText(days float64, from1904 bool) string {
	if !(days >= 0 && days < lastSerial) {
		return ""
	}
	ms := int64(math.Round(days * 86400_000))
	if days < 1 && !from1904 {
		return time.UnixMilli(ms).UTC().Format("15:04:05.999")
	}
	began := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC) // as Excel has a day 1900-02-29
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
