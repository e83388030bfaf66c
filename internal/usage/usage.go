// Package usage explains a mistake in a command line: the flag, the value given, the value
// expected and the one that was probably meant.
package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/internal/spelling"
)

// Explain makes a root command and those below it report mistakes in flags, arguments and names of
// commands in words of this package. Call it after SetOut, because it adds the commands help and
// completion, which keep the output.
func Explain(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	explain(root)
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = unknownTopic
	}
}

func explain(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(flagError)
	switch check := cmd.Args; {
	case cmd.HasSubCommands() && !cmd.Runnable():
		cmd.Args = unknownCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	case check != nil:
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			return wrongNumber(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		explain(c)
	}
}

// unknownTopic reports arguments of help that name no command. Without it, the help of the commands above is printed.
func unknownTopic(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err != nil || !cmd.HasSubCommands() {
		return err
	}
	return unknownCommand(cmd, rest)
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	text := meant(args[0], names, "")
	if text == "" {
		text = ": it has " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown command %q%s", args[0], text)
}

// meant is the end of a message about an unknown name; "" when no known one is like it.
func meant(name string, known []string, prefix string) string {
	best := spelling.Nearest(name, known)
	for _, k := range known { // one that is cut, or that had one dash, where -h was taken for help
		if best == "" && len(name) > 1 && (strings.HasPrefix(k, name) || strings.HasSuffix(k, name)) {
			best = k
		}
	}
	if best != "" {
		return fmt.Sprintf(", did you mean %s%s?", prefix, best)
	}
	return ""
}

// wrongNumber reports too many or too few arguments.
func wrongNumber(cmd *cobra.Command, args []string) error {
	names := strings.Fields(cmd.Use)[1:]      // in brackets what may be absent
	if len(names) > 0 && names[0][0] == '{' { // one of several
		names = []string{strings.Join(names, " ")}
	}
	if len(args) < len(names) {
		return fmt.Errorf("%s is missing: %s %s", names[len(args)], cmd.CommandPath(), strings.Join(names, " "))
	}
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = strconv.Quote(a)
	}
	expected, hint := "no argument", ""
	if len(names) > 0 {
		expected = "one argument, " + strings.Join(names, " ")
	} else if cmd.Flags().Lookup("config") != nil {
		hint = fmt.Sprintf("; a configuration is given with  %s -c %s", cmd.CommandPath(), shell.Quote(args[0]))
	}
	return fmt.Errorf("%s takes %s, got %s%s", cmd.CommandPath(), expected, strings.Join(quoted, " "), hint)
}

// expected describes the values of a type of flags.
var expected = map[string]string{
	"int":         "a whole number",
	"uint64":      "a whole number from 0 on",
	"float64":     "a number",
	"bool":        "true or false",
	"duration":    "a duration such as 10s or 5m",
	"intSlice":    "whole numbers with commas, such as 1,12",
	"stringSlice": "names with commas",
	"stringArray": "a text",
	"string":      "a text",
}

// others are what serves for flags that other programs have.
var others = map[string]string{
	"v": "the version is printed by  forecaster version", "version": "the version is printed by  forecaster version",
	"verbose": "more of the log comes with --set log.level=debug", "debug": "more of the log comes with --set log.level=debug",
	"quiet": "less of the log comes with --set log.level=error", "q": "less of the log comes with --set log.level=error",
}

func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		name, dashes := missing.GetSpecifiedName(), "--"
		if short := missing.GetSpecifiedShortnames(); short != "" {
			name, dashes = short, "-"
		}
		text := meant(name, names, "--")
		if command := others[name]; command != "" {
			text = ": " + command
		}
		if key := config.Meaning(strings.ReplaceAll(name, "-", "_")); key != "" && cmd.Flags().Lookup("set") != nil {
			text = fmt.Sprintf(", did you mean --set %s=...?", key)
		}
		return fmt.Errorf("unknown flag %s%s%s", dashes, name, text)
	case errors.As(err, &empty):
		f := empty.GetFlag()
		return fmt.Errorf("--%s: needs a value, %s", f.Name, kind(f))
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		several := ""
		if list := cmd.Flags().Lookup(f.Name + "s"); list != nil && strings.Contains(invalid.GetValue(), ",") {
			several = fmt.Sprintf("; several are given with --%s %s", list.Name, invalid.GetValue())
		}
		return fmt.Errorf("--%s: must be %s, got %q%s", f.Name, kind(f), invalid.GetValue(), several)
	}
	return err
}

func kind(f *pflag.Flag) string {
	if text, ok := expected[f.Value.Type()]; ok {
		return text
	}
	return "a " + f.Value.Type()
}
