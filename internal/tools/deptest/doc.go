// Package deptest tests two properties of the packages: the layers of docs/design/0001-shape.md, and the determinism
// of the deterministic packages.
package deptest
