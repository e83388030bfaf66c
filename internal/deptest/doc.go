// Package deptest has the tests that keep the layers of
// docs/design/0001-shape.md apart.
package deptest
