// Package build makes what a configuration names: models, engines, sources, sinks and
// dead letters. Here, and nowhere else, a name becomes a type.
package build
