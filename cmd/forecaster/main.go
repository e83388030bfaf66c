// Command forecaster forecasts multivariate time series online: samples arrive
// from Kafka or a file, a model predicts each of them before it learns from it,
// and forecasts, intervals and scores go to InfluxDB or a file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	_ "time/tzdata"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/footprint"
	"github.com/orffvar/forecaster/internal/interrupt"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/usage"
)

func main() {
	ctx := interrupt.Context()
	// Memory limit of the garbage collector without GOMEMLIMIT: nine tenths of the memory of the container, else of
	// the machine, and within ulimit -v. No limit if none of these is known.
	known := footprint.WithinAddressSpace(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem))
	_, _ = memlimit.Set(memlimit.WithProvider(known), memlimit.WithRatio(.9))
	footprint.TuneCollector()
	os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes; docs/operations.md lists them.
const (
	exitDone = iota
	exitFailed
	exitUsage
)

// execute runs the program with the given arguments and streams and returns its exit
// code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &report.StickyWriter{W: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr, args: args, environ: os.Environ()}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	usage.Explain(root)
	cmd, err := root.ExecuteContextC(ctx)
	if out.Err != nil && (err == nil || errors.Is(err, out.Err) || errors.Is(err, errReported)) {
		err, a.started = out.Err, true // the report is lost, also that of a mistake
	}
	switch usage := (*usageError)(nil); {
	case err == nil:
		return exitDone
	case errors.Is(err, errReported) && errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errReported):
		return exitFailed
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "forecaster: interrupted")
		return exitFailed
	case errors.As(err, &usage) || errors.As(err, new(*config.UsageError)):
		fmt.Fprintf(stderr, "forecaster: %v\n", err)
		return exitUsage
	case !a.started:
		fmt.Fprintf(stderr, "forecaster: %v; see %s -h\n", err, cmd.CommandPath())
		return exitUsage
	default:
		fmt.Fprintf(stderr, "forecaster: %v\n", err)
		return exitFailed
	}
}

// errReported is returned by a command that has already printed the reason.
var errReported = errors.New("reported")

// usageError is an error in the arguments or in the configuration.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }
