package limits

import (
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Tokens that a provider adds to a request: roles and delimiters of each message,
// and once an explanation of tools and schema.
const (
	perMessage = 32
	perCall    = 1024
	perPicture = 40_000 // of the smallest models of OpenAI, which count most
)

// Bound returns the maximum number of input tokens of a request, provided that
// no token is shorter than a byte, as in all common vocabularies.
func Bound(r *models.Request) int {
	n := perCall + perMessage + sent(r.System)
	for _, m := range r.Messages {
		n += perMessage + sent(m.Text)
		for _, f := range m.Files {
			size := len(f.Data)/3*4 + perMessage
			if f.IsPicture() {
				size = min(size, perPicture)
			}
			n += size
		}
		for _, c := range m.Calls {
			n += perMessage + sent(c.ID) + sent(c.Name) + sent(string(c.Args))
		}
		for _, result := range m.Results {
			n += perMessage + sent(result.Call) + sent(result.Text)
		}
	}
	for _, t := range r.Tools {
		n += perMessage + sent(t.Name) + sent(t.Description) + sent(string(t.Schema))
	}
	if r.Schema != nil {
		n += sent(r.Schema.Name) + sent(string(r.Schema.JSON))
	}
	return n
}

// sent returns the number of bytes of a text as JSON decodes it: of each byte that is
// not UTF-8 it makes U+FFFD, which has three.
func sent(text string) int {
	if utf8.ValidString(text) {
		return len(text)
	}
	return len(string([]rune(text)))
}
