package main

import "strings"

// A speech is the end of what a model says, piece by piece: of JSON the newest string that has
// several words, which no name of a member and no choice between words has. The zero speech is
// empty.
type speech struct {
	began, plain    bool
	quoted, escaped bool
	skip            int // characters of an escaped one
	text, newest    string
}

// words returns what a person reads.
func (s *speech) words() string {
	if s == nil {
		return ""
	}
	return s.newest
}

func (s *speech) add(piece string) {
	for _, r := range piece {
		s.next(r)
	}
	if s.plain || strings.Contains(s.text, " ") {
		const most = 400 // bytes, of which the end is shown
		s.newest = s.text[max(0, len(s.text)-most):]
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
			s.text = ""
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
	if is {
		s.text += string(r)
	}
}
