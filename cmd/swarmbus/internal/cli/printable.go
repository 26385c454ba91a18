package cli

import (
	"io"

	"github.com/swarmbus/swarmbus/internal/text"
)

// Printable writes JSON in which everything is escaped that a terminal would obey or hide.
// Each Write has to end with a character.
func Printable(w io.Writer) io.Writer { return escaped{w} }

type escaped struct{ w io.Writer }

func (p escaped) Write(raw []byte) (int, error) {
	if _, err := p.w.Write(text.JSON(raw)); err != nil {
		return 0, err
	}
	return len(raw), nil
}
