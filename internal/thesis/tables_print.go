package thesis

import (
	"fmt"
	"strings"

	"github.com/orffvar/forecaster/internal/report"
)

// ScoreTable compares the published scores with the reproduced ones, and the last online model with the target.
func ScoreTable(rows []*TableRow, models []string) report.Table {
	t := report.Table{
		Header: []string{"table", "experiment", "rows × dim", "persistence", "VAR(1)\npublished", "VAR(1)\nours", "ORFFVAR\npublished", "ORFFVAR\nours"},
		Spare:  []string{"rows × dim", "table", "target"},
	}
	for _, m := range models {
		t.Header = append(t.Header, m+"\nonline")
	}
	compared := len(models) - 1
	if compared >= 0 {
		t.Header = append(t.Header, "target", models[compared])
	}
	for _, r := range rows {
		e := r.Experiment
		row := []string{
			e.Table, e.Name, fmt.Sprintf("%d × %d", r.Rows, r.Dim), figure(r.Persistence.MSE),
			printed(e.VAR1.MSE), figure(r.VAR1.MSE), printed(e.ORFFVAR.MSE), r.ORFFVAR.MSE.String(),
		}
		for _, m := range r.Online {
			row = append(row, m.MSE.String())
		}
		if compared >= 0 {
			target, met := "", ""
			if e.Target > 0 {
				target, met = figure(e.Target), "missed"
				if Meets(&e, r.Online[compared]) {
					met = "met"
				}
			}
			row = append(row, target, met)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Caption = "SCV-MSE: mean +- standard deviation over the seeds. Published models, and ours of the same names, are refitted to each\n" +
		"window; online models learn in one pass from the first row on. All are scored on the same targets. Published figures are\n" +
		"as printed."
	if compared >= 0 {
		t.Caption += fmt.Sprintf("\nTarget: upper limit for the mean of %s, from prototypes that are older than this program.", models[compared])
	}
	if notes := notesOf(rows); len(notes) > 0 {
		t.Caption += "\nCorrections of printed figures, and settings:\n" + strings.Join(notes, "\n")
	}
	return t
}

// notesOf returns the notes of the rows, and the training errors of rows whose printed figure is a training error.
func notesOf(rows []*TableRow) (notes []string) {
	for _, r := range rows {
		for _, n := range r.Experiment.Notes {
			notes = append(notes, fmt.Sprintf("  %s, %s: %s", r.Experiment.Table, r.Experiment.Name, n))
		}
		if r.Experiment.Training {
			notes = append(notes, fmt.Sprintf("  %s, %s: our training error is %v", r.Experiment.Table, r.Experiment.Name, r.Training))
		}
	}
	return notes
}

// OKVARTable has the scores of OKVAR, and the standard deviations of the losses, which the thesis calls variance.
func OKVARTable(rows []*TableRow) report.Table {
	t := report.Table{
		Header: []string{"experiment", "OKVAR\npublished", "OKVAR\nours", "its sd\npublished", "its sd\nours", "VAR(1) sd\npublished", "VAR(1) sd\nours", "ORFFVAR sd\npublished", "ORFFVAR sd\nours"},
		Caption: "sd: standard deviation of the losses, which the thesis prints as variance. OKVAR has the bandwidth of ORFFVAR and the\n" +
			"lambda with the least leave-one-out error on the first window: its settings are published for Macrodata alone.",
	}
	for _, r := range rows {
		e := r.Experiment
		t.Rows = append(t.Rows, []string{
			e.Name, printed(e.OKVAR.MSE), figure(r.OKVAR.MSE), printed(e.OKVAR.SD), figure(r.OKVAR.SD),
			printed(e.VAR1.SD), figure(r.VAR1.SD), printed(e.ORFFVAR.SD), figure(r.ORFFVAR.SD.Mean),
		})
	}
	return t
}

// TimeTable has the times of one fit.
func TimeTable(rows []*TableRow) report.Table {
	t := report.Table{
		Numeric: 1, Header: []string{"fit, ms", "VAR(1)\npublished", "VAR(1)\nours", "ORFFVAR\npublished", "ORFFVAR\nours", "OKVAR\npublished", "OKVAR\nours"},
		Caption: "Time of one fit to a window, in milliseconds: ours on this machine, the least of three.",
	}
	for _, r := range rows {
		e := r.Experiment
		t.Rows = append(t.Rows, []string{
			e.Name, milliseconds(e.VAR1.Seconds), milliseconds(r.VAR1.Seconds), milliseconds(e.ORFFVAR.Seconds), milliseconds(r.ORFFVAR.Seconds), milliseconds(e.OKVAR.Seconds), milliseconds(r.OKVAR.Seconds),
		})
	}
	return t
}

// figure returns the text of a reproduced score, and a dash if there is none.
func figure(v float64) string {
	if v == 0 {
		return "-"
	}
	return report.Number(v).String()
}

// printed returns the text of a published score, with all its digits.
func printed(v float64) string {
	if v == 0 {
		return "-"
	}
	return report.Number(v).Digits(7)
}

func milliseconds(v float64) string {
	if v == 0 {
		return "-"
	}
	return report.Number(1000 * v).Digits(2)
}
