package filesink

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/orffvar/forecaster/stream"
)

// forecastRow is a row of a ParquetSink.
type forecastRow struct {
	Time       time.Time `parquet:"time,timestamp(nanosecond)"`
	Series     string    `parquet:"series,dict"`
	Target     string    `parquet:"target,dict"`
	Horizon    int32     `parquet:"horizon"`
	Model      string    `parquet:"model,dict"`
	Yhat       float64   `parquet:"yhat"`
	Lower      *float64  `parquet:"yhat_lower,optional"`
	Upper      *float64  `parquet:"yhat_upper,optional"`
	Level      *float64  `parquet:"level,optional"`
	JointLower *float64  `parquet:"yhat_joint_lower,optional"`
	JointUpper *float64  `parquet:"yhat_joint_upper,optional"`
	Reach      *float64  `parquet:"limit_probability,optional"`
	Origin     time.Time `parquet:"origin,timestamp(nanosecond)"`
	Y          *float64  `parquet:"y,optional"`
}

// Parquet writes forecasts as a Parquet file with the columns of CSV, origin and y
// among them. Only Close completes the file: it has no position, and no job can go on with
// it.
type Parquet struct {
	file   *output
	writer *parquet.GenericWriter[forecastRow]
	any    bool // there is a row
	levels []float64
	rows   []forecastRow
}

var _ stream.Sink = (*Parquet)(nil)

// CreateParquet opens the file at path for writing; the first forecasts empty the file.
// levels are engine.Config.Levels.
func CreateParquet(path string, levels []float64) (*Parquet, error) {
	o, err := create(path)
	if err != nil {
		return nil, err
	}
	return &Parquet{file: o, writer: parquet.NewGenericWriter[forecastRow](writer{o}, parquet.Compression(&parquet.Zstd)), levels: levels}, nil
}

// writer is an output as an io.Writer.
type writer struct{ *output }

func (w writer) Write(p []byte) (int, error) { return len(p), w.write(p, false) }

// Write implements stream.Sink.
func (s *Parquet) Write(_ context.Context, b *stream.Batch) error {
	s.rows = s.rows[:0]
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		d := len(f.Yhat)
		for j, target := range f.Series.Variables {
			row := forecastRow{
				Time: time.Unix(0, f.Time).UTC(), Series: f.Series.Name, Target: target, Horizon: int32(f.Horizon), Model: f.Model, Yhat: f.Yhat[j],
				Origin: time.Unix(0, f.Origin).UTC(), Y: finite(observed(f, j)),
			}
			if f.Reach != nil {
				row.Reach = finite(f.Reach[j])
			}
			if f.JointLower != nil {
				row.JointLower, row.JointUpper = finite(f.JointLower[j]), finite(f.JointUpper[j])
			}
			if len(s.levels) == 0 {
				s.rows = append(s.rows, row)
			}
			for l := range s.levels {
				row.Lower, row.Upper, row.Level = finite(f.Lower[l*d+j]), finite(f.Upper[l*d+j]), &s.levels[l]
				s.rows = append(s.rows, row)
			}
		}
	}
	s.any = s.any || len(s.rows) > 0
	if _, err := s.writer.Write(s.rows); err != nil {
		return fmt.Errorf("%s: %w", s.file.path, err)
	}
	return nil
}

// finite returns v, nil for NaN.
func finite(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Close completes the file.
func (s *Parquet) Close() error {
	var err error
	if s.any {
		err = s.writer.Close()
	}
	if err := errors.Join(err, s.file.Close()); err != nil {
		return err
	}
	return nil
}
