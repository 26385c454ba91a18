package text

import "strings"

// Silence is the entire answer of an agent that does not answer.
const Silence = "<PASS>"

// An Answer holds the fragments of a streamed answer back for as long as it may
// still be [Silence], so that its beginning is never shown. White space around it is
// ignored. The zero value is an empty answer.
type Answer struct {
	held  strings.Builder
	shown bool
}

// Write adds a fragment and returns what may be shown by now.
func (a *Answer) Write(fragment string) (show string) {
	if a.shown {
		return fragment
	}
	a.held.WriteString(fragment)
	if maybeSilence(a.held.String()) {
		return ""
	}
	a.shown = true
	return a.take()
}

// End returns the text still held back, or that the answer is silence.
func (a *Answer) End() (show string, silent bool) {
	rest := a.take()
	if !a.shown && strings.TrimSpace(rest) == Silence {
		return "", true
	}
	return rest, false
}

func (a *Answer) take() string {
	all := a.held.String()
	a.held.Reset()
	return all
}

// maybeSilence reports whether text can still become silence.
func maybeSilence(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(Silence, text)
}

// IsSilence reports whether a whole answer is silence.
func IsSilence(answer string) bool { return strings.TrimSpace(answer) == Silence }
