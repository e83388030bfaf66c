// Package rates has schedules of learning rates, and the ways in which a step shrinks the
// weights, on which it depends whether a schedule converges.
package rates
