package main

import (
	"io"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A printable writes JSON in which everything is escaped that a terminal would obey or hide.
// Each Write has to end with a character.
type printable struct{ w io.Writer }

func (p printable) Write(raw []byte) (int, error) {
	if _, err := p.w.Write(text.JSON(raw)); err != nil {
		return 0, err
	}
	return len(raw), nil
}
