// Package testseries has series that tests forecast and no command simulates.
package testseries
