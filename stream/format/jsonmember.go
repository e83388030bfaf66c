package format

import "strings"

// role is what a member is asked for.
type role int

const (
	inner role = iota // only on the way to others
	timeRole
	seriesRole
	valuesRole
	variableRole
	tagRole // and those behind it: of the tags in their order
	roles   = tagRole
)

// member is a node in the tree of the paths.
type member struct {
	role     role
	names    []string
	children []*member
}

func (m *member) child(name []byte) *member {
	for i, n := range m.names {
		if n == string(name) {
			return m.children[i]
		}
	}
	return nil
}

// add adds a path; it returns false when one path is the beginning of another.
func (m *member) add(path string, r role) bool {
	for _, name := range strings.Split(path, ".") {
		next := m.child([]byte(name))
		if next == nil {
			next = &member{}
			m.names = append(m.names, name)
			m.children = append(m.children, next)
		}
		if next.role != inner {
			return false
		}
		m = next
	}
	m.role = r
	return len(m.children) == 0
}
