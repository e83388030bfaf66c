// Package format decodes messages into records.
package format
