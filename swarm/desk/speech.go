package desk

import (
	"slices"
	"strings"
)

// kept is how many characters of the end of a speech are kept.
const kept = 400

// A speech is the end of what a model says, piece by piece: of JSON the newest string that has
// several words, which no name of a member and no choice between words has. The zero speech is
// empty.
type speech struct {
	began, plain    bool
	quoted, escaped bool
	skip            int // characters of an escaped one
	text            []rune
	newest          string
}

func (s *speech) add(piece string) {
	for _, r := range piece {
		s.next(r)
	}
	if s.plain || slices.Contains(s.text, ' ') {
		s.newest = string(s.text[max(0, len(s.text)-kept):])
	}
}

func (s *speech) next(r rune) {
	switch {
	case !s.began:
		if s.began = !strings.ContainsRune(" \t\r\n", r); s.began {
			s.plain = r != '{' && r != '['
			s.keep(r, s.plain)
		}
	case s.plain:
		s.keep(r, true)
	case !s.quoted:
		if s.quoted = r == '"'; s.quoted {
			s.text = s.text[:0]
		}
	case s.skip > 0:
		s.skip--
	case s.escaped:
		s.escaped = false
		if r == 'u' {
			s.skip = 4
		}
		s.keep(r, r == '"' || r == '\\' || r == '/')
	case r == '\\':
		s.escaped = true
	case r == '"':
		s.quoted = false
	default:
		s.keep(r, true)
	}
}

func (s *speech) keep(r rune, is bool) {
	if !is {
		return
	}
	if len(s.text) > 2*kept { // so that a long speech takes linear time
		s.text = append(s.text[:0], s.text[len(s.text)-kept:]...)
	}
	s.text = append(s.text, r)
}
