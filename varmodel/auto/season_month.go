package auto

import "time"

// MonthPhases is the period of the month in daily series, in days; see MonthPhase.
const MonthPhases = 31

const monthBegin = 15 // days that are counted from the beginning of a month; the others are counted from its end

// MonthPhase returns the phase of a day, counted from 1970: 0 on the first of each month, 30 on the last, whatever
// its length. February leaves two or three phases of its middle out.
func MonthPhase(day int64) int {
	date := time.Unix(day*86400, 0).UTC()
	year, month, d := date.Date()
	if d <= monthBegin {
		return d - 1
	}
	return MonthPhases - 1 + d - time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
