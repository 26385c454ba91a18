package inspect

import (
	"cmp"
	"fmt"
)

// A Place is a line of the reviewed package. File is relative to the package's
// directory, so that places read the same on every machine. Name is the function
// that the line lies in ("Bus.Publish"), Note what was seen there; both may be
// empty. Without a file it is the package as a whole.
type Place struct {
	File string
	Line int
	Name string
	Note string
}

// At returns file:line, or "package".
func (p Place) At() string {
	if p.File == "" {
		return "package"
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// String returns the position with name and note, as evidence quotes it.
func (p Place) String() string {
	s := p.At()
	if p.Name != "" {
		s += " " + p.Name
	}
	if p.Note != "" {
		s += fmt.Sprintf(" (%s)", p.Note)
	}
	return s
}

// compare orders places by file name, then by line, name and note.
func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Name, q.Name), cmp.Compare(p.Note, q.Note))
}
