package wire

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker for releases, see LDFLAGS in the Makefile.
var version = ""

// Info describes this binary.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Level    string `json:"level,omitempty"` // GOAMD64 or GOARM64
}

func ReadInfo() Info {
	b := Info{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

// String is the version with the Go release and the platform in brackets.
func (b Info) String() string {
	if b.Level != "" {
		return fmt.Sprintf("%s (%s, %s %s)", b.Version, b.Go, b.Platform, b.Level)
	}
	return fmt.Sprintf("%s (%s, %s)", b.Version, b.Go, b.Platform)
}
