// Package testseries has synthetic series that only tests use.
package testseries
