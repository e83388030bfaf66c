package checkpoint

import (
	"cmp"
	"fmt"
	"strings"
)

// Setting is a key and a value on which a state depends, besides the log: a key of the configuration, or a property
// of the build or of the topic.
type Setting struct{ Key, Value string }

// SettingsError reports that a state was saved under other settings. Resuming would mix the results of both.
type SettingsError struct {
	Changed []SettingChange // ascending by key
}

// SettingChange is a setting with its two values; "" = none.
type SettingChange struct{ Key, Saved, Now string }

func (e *SettingsError) Error() string {
	lines := make([]string, len(e.Changed))
	for i, c := range e.Changed {
		lines[i] = c.String()
	}
	return strings.Join(lines, "; ")
}

func (c SettingChange) String() string {
	who := "the configuration"
	switch {
	case strings.HasPrefix(c.Key, "build."):
		who = "this build"
	case strings.HasPrefix(c.Key, "topic."):
		who = "the topic"
	}
	return fmt.Sprintf("%s: the checkpoint has %s, %s %s", c.Key, cmp.Or(c.Saved, "none"), who, cmp.Or(c.Now, "none"))
}

// Compare returns the changes between two lists of settings, both ascending by key.
func Compare(saved, now []Setting) []SettingChange {
	var list []SettingChange
	for len(saved)+len(now) > 0 {
		order := 0
		switch {
		case len(saved) == 0:
			order = 1
		case len(now) == 0:
			order = -1
		default:
			order = cmp.Compare(saved[0].Key, now[0].Key)
		}
		var c SettingChange
		if order <= 0 {
			c.Key, c.Saved, saved = saved[0].Key, saved[0].Value, saved[1:]
		}
		if order >= 0 {
			c.Key, c.Now, now = now[0].Key, now[0].Value, now[1:]
		}
		if c.Saved != c.Now {
			list = append(list, c)
		}
	}
	return list
}
