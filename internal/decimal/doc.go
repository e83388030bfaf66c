// Package decimal reads and writes numbers as decimal text, with the results of
// strconv, where strconv takes more than twice the time: for the numbers that
// measurements and forecasts are. It leaves all others to strconv.
package decimal
