package inspect

import (
	"cmp"
	"fmt"
	"strconv"
)

// A Position is a line of the reviewed package. File is relative to the
// package's directory, so that positions read the same on every machine. The
// zero Position is the package as a whole.
type Position struct {
	File string
	Line int
}

// String returns file:line, the file alone if there is no line, or "package".
func (p Position) String() string {
	switch {
	case p.File == "":
		return "package"
	case p.Line == 0:
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Compare orders positions by file name, then by line.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line))
}

// A Place is one position where a [Finding] holds. Name is the declaration it
// lies in ("Bus.Publish"), Note what was seen there; both may be empty.
type Place struct {
	Position
	Name string
	Note string
}

// String returns the position with name and note, as evidence quotes it.
func (p Place) String() string {
	s := p.Position.String()
	if p.Name != "" {
		s += " " + p.Name
	}
	if p.Note != "" {
		s += fmt.Sprintf(" (%s)", p.Note)
	}
	return s
}
