package timestamp

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/lazyregexp"
)

// rewritten are the unambiguous forms of dates, each with a function that joins its parts to RFC 3339.
var rewritten = []struct {
	form lazyregexp.Regexp
	date func(part []string) string
}{
	{lazyregexp.New(`^(\d{4})(\d\d)(\d\d)[T ](\d\d)(\d\d)?(\d\d)?([.,]\d+)?(Z|[+-]\d\d:?\d\d)?$`), func(p []string) string { // 20250106T093000Z
		return fmt.Sprintf("%s-%s-%sT%s:%s:%s%s%s", p[1], p[2], p[3], p[4], cmp.Or(p[5], "00"), cmp.Or(p[6], "00"), strings.ReplaceAll(p[7], ",", "."), p[8])
	}},
	{lazyregexp.New(`^(\d{4})-?[Ww](\d\d)(?:-?([1-7]))?$`), func(p []string) string { // 2025-W02-1
		return isoWeek(atoi(p[1]), atoi(p[2]), atoi(cmp.Or(p[3], "1")))
	}},
	{lazyregexp.New(`^(\d{4})[-/ ]?[Qq]([1-4])$`), func(p []string) string { return quarterOf(p[1], p[2]) }},
	{lazyregexp.New(`^[Qq]([1-4])[-/ ]?(\d{4})$`), func(p []string) string { return quarterOf(p[2], p[1]) }},
	{lazyregexp.New(`^([1-4])[Qq][-/ ]?(\d{4})$`), func(p []string) string { return quarterOf(p[2], p[1]) }},
	{lazyregexp.New(`^(\d{4})[-/. ]?[Mm](\d\d?)$`), func(p []string) string { return monthOf(p[1], p[2]) }}, // 2025M01
	{lazyregexp.New(`^(\d{4})[/.](\d\d?)$`), func(p []string) string { return monthOf(p[1], p[2]) }},
	{lazyregexp.New(`^(\d\d?)[-/. ](\d{4})$`), func(p []string) string { return monthOf(p[2], p[1]) }}, // 01/2025
	{lazyregexp.New(`^(\d{4})-(\d{3})(?:[T ](\S+))?$`), func(p []string) string { return dayOfYear(atoi(p[1]), atoi(p[2]), p[3]) }},
	{lazyregexp.New(`^(\d{4})\s*[年년]\s*(\d\d?)\s*[月월](?:\s*(\d\d?)\s*[日일号]?)?(?:\s*(\d\d?)\s*(?::|[时時시点])\s*(?:(\d\d?)\s*(?::|[分분])?\s*(?:(\d\d?)\s*[秒초]?)?)?)?$`), func(p []string) string {
		return fmt.Sprintf("%s-%02d-%02dT%02d:%02d:%02d", p[1], atoi(p[2]), atoi(cmp.Or(p[3], "1")), atoi(p[4]), atoi(p[5]), atoi(p[6]))
	}},
}

func atoi(digits string) int {
	n, _ := strconv.Atoi(digits) // "" is 0
	return n
}

func monthOf(year, month string) string { return fmt.Sprintf("%s-%02d-01", year, atoi(month)) }

func quarterOf(year, quarter string) string {
	return fmt.Sprintf("%s-%02d-01", year, 3*atoi(quarter)-2)
}

// isoWeek returns a day of an ISO 8601 week. Week 1 has the first Thursday of the year.
func isoWeek(year, week, day int) string {
	first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
	monday := first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
	at := monday.AddDate(0, 0, 7*(week-1)+day-1)
	if y, w := at.ISOWeek(); y != year || w != week {
		return "" // the year has no such week
	}
	return at.Format(time.DateOnly)
}

func dayOfYear(year, day int, clock string) string {
	at := time.Date(year, 1, day, 0, 0, 0, 0, time.UTC)
	if day < 1 || at.Year() != year {
		return ""
	}
	if clock != "" {
		clock = "T" + clock
	}
	return at.Format(time.DateOnly) + clock
}

// otherForm rewrites a date as RFC 3339 or one of its short forms.
func otherForm(text []byte) (date []byte, ok bool) {
	if len(text) < len("1Q2006") || len(text) > 60 {
		return nil, false
	}
	for i := range rewritten {
		if p := rewritten[i].form().FindSubmatch(text); p != nil {
			parts := make([]string, len(p))
			for k := range p {
				parts[k] = string(p[k])
			}
			if date := rewritten[i].date(parts); date != "" {
				return []byte(date), true
			}
			return nil, false
		}
	}
	return withMonthName(text, false)
}

// months are the beginnings of the names of months: first in English, then in languages that differ.
var months = [...][]string{
	{"jan", "ene", "gen"}, {"feb", "fév", "fev"}, {"mar", "mär", "mrz", "maa"}, {"apr", "avr", "abr"}, {"may", "mai", "mag", "mei"}, {"jun", "giu", "juin"},
	{"jul", "lug", "juil"}, {"aug", "aoû", "aou", "ago"}, {"sep", "set"}, {"oct", "okt", "ott", "out"}, {"nov"}, {"dec", "dez", "déc", "dic"},
}

var (
	clockPart = lazyregexp.New(`[\sT:,](\d\d?)[:.](\d\d)(?:[:.](\d\d)([.,]\d+)?)?(?:\s*([AaPp])\.?[Mm]\.?)?(?:\s*(Z|UTC|GMT|[+-]\d\d:?\d\d))?(?:\s|$)`)
	datePart  = lazyregexp.New(`'?\d+|\p{L}+`)
	weekday   = lazyregexp.New(`(?i)^(mon|tue|wed|thu|fri|sat|sun)[a-z]*$`)
)

// withMonthName rewrites dates such as 5-Jan-2026 10:00 and January 2026, and the dates of HTTP and Oracle.
// monthYear: Jan-26 is January 2026; otherwise it may be a day, and is not read.
func withMonthName(text []byte, monthYear bool) (date []byte, ok bool) {
	rest, clock, zone := string(text), "00:00:00", ""
	if at := clockPart().FindStringSubmatchIndex(rest); at != nil {
		part := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return rest[at[2*i]:at[2*i+1]]
		}
		hour := atoi(part(1))
		if half := strings.ToLower(part(5)); half != "" {
			if hour < 1 || hour > 12 {
				return nil, false
			}
			if hour %= 12; half == "p" {
				hour += 12
			}
		}
		clock, zone = fmt.Sprintf("%02d:%s:%s%s", hour, part(2), cmp.Or(part(3), "00"), strings.ReplaceAll(part(4), ",", ".")), part(6)
		rest = rest[:at[0]] + " " + rest[at[1]:]
	}
	month, year, day := 0, -1, -1
	for _, word := range datePart().FindAllString(rest, -1) {
		digits := strings.TrimPrefix(word, "'")
		n, err := strconv.Atoi(digits)
		switch {
		case err != nil && weekday().MatchString(word) || word == "de" || word == "of" || day > 0 && (word == "st" || word == "nd" || word == "rd" || word == "th"):
		case err != nil:
			m := MonthOf(word)
			if m == 0 || month > 0 {
				return nil, false
			}
			month = m
		case len(digits) == 4 && year < 0:
			year = n
		case len(digits) > 2 || len(digits) < len(word) && year >= 0:
			return nil, false
		case year < 0 && (day > 0 || monthYear || len(digits) < len(word)):
			if year = 1900 + n; year < 1969 {
				year += 100
			}
		case day < 0:
			day = n
		default:
			return nil, false
		}
	}
	if month == 0 || year < 0 || clock != "00:00:00" && day < 0 {
		return nil, false
	}
	return fmt.Appendf(nil, "%04d-%02d-%02dT%s%s", year, month, max(day, 1), clock, strings.NewReplacer("UTC", "Z", "GMT", "Z").Replace(zone)), day != 0
}

// MonthOf returns the number of a month, from 1; 0 for other words.
func MonthOf(word string) int {
	word = strings.ToLower(word)
	for i, names := range months {
		for _, name := range names {
			if strings.HasPrefix(word, name) && len(word) < len("septiembre!") {
				return i + 1
			}
		}
	}
	return 0
}

// endOfDay rewrites 24:00 as 00:00 of the same day; ok is false for other times.
func endOfDay(text []byte) (begin []byte, ok bool) {
	for _, end := range []string{"24:00", "24:00:00", "24:00:00Z", "24:00Z"} {
		if i := len(text) - len(end); i > len("2006") && bytes.HasSuffix(text, []byte(end)) && (text[i-1] == ' ' || text[i-1] == 'T') {
			begin = bytes.Clone(text)
			begin[i], begin[i+1] = '0', '0'
			return begin, true
		}
	}
	return nil, false
}
