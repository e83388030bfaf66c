package main

import (
	"context"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

func newInfluxDB(*config.InfluxDB, []float64) (stream.Sink, error) { panic("") }
func pingInfluxDB(context.Context, *config.InfluxDB) error         { panic("") }
