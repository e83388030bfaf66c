// Package decimal reads and writes float64 as decimal text, with the results of strconv
// and in less than half its time for the numbers that measurements and forecasts are.
// Other numbers go to strconv.
package decimal
