package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker for releases (-ldflags "-X main.version=…").
var version = ""

// buildInfo says what this binary is.
type buildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Level    string `json:"level,omitempty"` // GOAMD64 or GOARM64
}

func readBuildInfo() buildInfo {
	b := buildInfo{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "GOAMD64", "GOARM64":
			b.Level = s.Value
		}
	}
	return b
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print what this binary is",
		Example: "  forecaster version --output json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := readBuildInfo()
			if a.output == "json" {
				return json.NewEncoder(a.stdout).Encode(b)
			}
			fmt.Fprintf(a.stdout, "forecaster %s (%s, %s", b.Version, b.Go, b.Platform)
			if b.Level != "" {
				fmt.Fprintf(a.stdout, " %s", b.Level)
			}
			fmt.Fprintln(a.stdout, ")")
			return nil
		},
	}
}
