package assemble_test

import (
	"fmt"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
)

// printer is an assemble.Receiver.
type printer struct{}

func (printer) Sample(s *assemble.Sample) error {
	fmt.Printf("%s %v %v\n", time.Unix(0, s.Time).UTC().Format(time.TimeOnly), s.Series.Variables, s.Y)
	return nil
}

func (printer) Refuse(_ *stream.Message, err *refuse.Error) { fmt.Println("refused:", err) }

// Two messages have a variable each, up to two seconds apart: they make one row a minute.
func ExampleAssembler_Add() {
	a, err := assemble.New(assemble.Config{Interval: time.Minute, Assembly: &assemble.Assembly{Wait: 5 * time.Second}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for minute := range int64(3) {
		for i, name := range []string{"in", "out"} {
			at := minute*int64(time.Minute) + int64(i)*int64(2*time.Second)
			r := stream.Record{Message: &stream.Message{}, Series: "pump", Time: at, Names: []string{name}, Values: []float64{float64(10*minute) + float64(i)}}
			if err := a.Add(printer{}, &r); err != nil {
				fmt.Println(err)
			}
		}
	}
	// Output:
	// 00:00:00 [in out] [0 1]
	// 00:01:00 [in out] [10 11]
	// 00:02:00 [in out] [20 21]
}
