package cells

// JoinClock appends a date and a time of day such as 9:30, 18.00.00 or 6:00 PM to dst.
func JoinClock(dst, date, clock []byte) []byte {
	dst = append(append(dst, date...), ' ')
	if len(clock) > 1 && (clock[1] == ':' || clock[1] == '.') {
		dst = append(dst, '0')
	}
	points := 0
	for _, b := range clock {
		if b == '.' && points < 2 {
			b = ':'
		}
		if b == ':' {
			points++
		}
		dst = append(dst, b)
	}
	return dst
}
