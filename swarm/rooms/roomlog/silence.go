package roomlog

import "strings"

// Silence is the entire answer of an agent that does not answer.
const Silence = "<PASS>"

// Fragments holds those of a streamed answer back for as long as it may
// still be [Silence], so that its beginning is never shown. White space around it is
// ignored. The zero value is an empty answer.
type Fragments struct {
	held  strings.Builder
	shown bool
}

// Write adds a fragment and returns what may be shown by now.
func (f *Fragments) Write(fragment string) (show string) {
	if f.shown {
		return fragment
	}
	f.held.WriteString(fragment)
	if maybeSilence(f.held.String()) {
		return ""
	}
	f.shown = true
	return f.held.String()
}

// maybeSilence reports whether text can still become silence.
func maybeSilence(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(Silence, text)
}

// IsSilence reports whether a whole answer is silence.
func IsSilence(answer string) bool { return strings.TrimSpace(answer) == Silence }
