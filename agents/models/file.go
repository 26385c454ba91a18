package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A File is a picture or document that a message of the user shows.
type File struct {
	Name string `json:"name"`
	Type string `json:"type"` // its media type, such as image/png or application/pdf
	Data []byte `json:"data"`
}

// IsPicture reports whether the file is a picture.
func (f File) IsPicture() bool { return strings.HasPrefix(f.Type, "image/") }

// WithoutFiles returns a request with a line about each file in its place, for a model that reads none:
// what it misses.
func (r *Request) WithoutFiles() *Request {
	if !r.HasFiles() {
		return r
	}
	to := *r
	to.Messages = slices.Clone(r.Messages)
	for i := range to.Messages {
		m := &to.Messages[i]
		for _, f := range m.Files {
			m.Text += fmt.Sprintf("\n\nYou cannot read the file %s (%s, %d bytes): what you say has to do without it.", text.Prompt(f.Name, 256), f.Type, len(f.Data))
		}
		m.Files = nil
	}
	return &to
}

// HasFiles reports whether a message has files.
func (r *Request) HasFiles() bool {
	return slices.ContainsFunc(r.Messages, func(m Message) bool { return len(m.Files) > 0 })
}
