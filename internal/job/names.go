package job

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// nameCheck searches a file for the variables that the configuration names.
type nameCheck struct {
	file    string
	inputs  []string     // model.exogenous
	missing []configured // names not found so far
	found   []string     // variables of the file
	has     map[string]bool
	targets bool // the file has a variable that is not an exogenous input
	unnamed bool // a record has no names, so every name is possible
}

// configured is a name and the key that has it. A file must have the required names.
type configured struct {
	key, name string
	required  bool
}

func newNameCheck(c *config.Config) *nameCheck {
	n := &nameCheck{file: wire.InputFile(c).Path, inputs: c.Model.Exogenous, has: make(map[string]bool)}
	if n.file == "-" {
		n.file = "stdin"
	}
	add := func(key string, required bool, names ...string) {
		for _, name := range names {
			n.missing = append(n.missing, configured{key, name, required})
		}
	}
	add("pipeline.variables", true, c.Pipeline.Variables...)
	add("pipeline.rate", true, c.Pipeline.Rate...)
	add("model.exogenous", true, c.Model.Exogenous...)
	add("model.non_negative", false, c.Model.NonNegative...)
	for _, l := range []struct {
		key   string
		texts []string
	}{{"model.bounds", c.Model.Bounds}, {"model.limits", c.Model.Limits}} {
		for _, text := range l.texts {
			if b, err := config.ParseBound(text); err == nil && b.Variable != "*" {
				add(l.key, false, b.Variable)
			}
		}
	}
	for _, text := range c.Model.Anomaly.Rules {
		if r, err := config.ParseAnomalyRule(text); err == nil {
			add("model.anomaly.rules", false, r.Variable)
		}
	}
	return n
}

// fits reports whether all required names were found.
func (n *nameCheck) fits() bool {
	return n.unnamed || (n.targets || len(n.inputs) == 0) && !slices.ContainsFunc(n.missing, func(c configured) bool { return c.required })
}

// done reports whether further records cannot change the result.
func (n *nameCheck) done() bool { return n.unnamed || n.fits() && len(n.missing) == 0 }

// add adds the names of a record; nil: the record has no names.
func (n *nameCheck) add(names []string) {
	n.unnamed = n.unnamed || names == nil
	for _, name := range names {
		if n.has[name] {
			continue
		}
		n.has[name], n.found = true, append(n.found, name)
		n.missing = slices.DeleteFunc(n.missing, func(c configured) bool { return c.name == name })
		n.targets = n.targets || !slices.Contains(n.inputs, name)
	}
}

// mostNamed is the largest number of variables that an error lists.
const mostNamed = 10

// problem describes a name that was not found.
func (n *nameCheck) problem(c configured, of string) string {
	listed := strings.Join(n.found[:min(len(n.found), mostNamed)], ", ")
	if more := len(n.found) - mostNamed; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s: %s: there is no variable %q; the %s has %s", n.file, c.key, c.name, of, listed)
}

// result returns an error for a missing required name. It only warns of other missing names, because a configuration may
// serve several files.
func (n *nameCheck) result(log *slog.Logger) error {
	if n.done() || len(n.found) == 0 {
		return nil
	}
	for _, c := range n.missing {
		text := n.problem(c, "file")
		if c.required {
			return errors.New(text)
		}
		log.Warn(text)
	}
	if !n.fits() {
		return fmt.Errorf("%s: model.exogenous: all columns are inputs, nothing is left to forecast", n.file)
	}
	return nil
}
