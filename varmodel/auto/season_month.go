package auto

import "time"

// MonthPhases is the period of the month in daily series, in days; see MonthPhase.
const MonthPhases = 31

const monthBegin = 15 // last day of a month counted from its beginning; later days are counted from its end

// MonthPhase returns the phase of a day, given in days since 1970-01-01 UTC. The phase is 0 on the first day of each
// month, and 30 on the last day of each month. Shorter months skip phases in their middle.
func MonthPhase(day int64) int {
	date := time.Unix(day*86400, 0).UTC()
	year, month, d := date.Date()
	if d <= monthBegin {
		return d - 1
	}
	return MonthPhases - 1 + d - time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
