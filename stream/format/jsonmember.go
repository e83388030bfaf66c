package format

import "strings"

// role is the use of a member.
type role int

const (
	inner role = iota // an object on the path of other members
	timeRole
	seriesRole
	valuesRole
	variableRole
	tagRole // first tag; tag i has tagRole + i
	roles   = tagRole
)

// member is a node in the tree of paths.
type member struct {
	role     role
	open     bool // numbers in it are values, unless another path names them
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

// at returns the member at a path, and creates a missing one. The empty path is m.
func (m *member) at(path string) *member {
	if path == "" {
		return m
	}
	for _, name := range strings.Split(path, ".") {
		next := m.child([]byte(name))
		if next == nil {
			next = &member{}
			m.names = append(m.names, name)
			m.children = append(m.children, next)
		}
		m = next
	}
	return m
}

// add adds a path. It returns false if the path equals another one, or one lies within the other. Other paths may
// lie within the path of the values.
func (m *member) add(path string, r role) bool {
	for part := range strings.SplitSeq(path, ".") {
		if m.role != inner && m.role != valuesRole {
			return false
		}
		m = m.at(part)
	}
	if m.role != inner || len(m.children) > 0 && r != valuesRole {
		return false
	}
	m.role = r
	return true
}
