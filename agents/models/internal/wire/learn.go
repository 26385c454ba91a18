package wire

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/swarmbus/swarmbus/agents/models"
)

// A Learner has the forms in which a server takes requests, as far as they are known. It is
// safe for concurrent use.
type Learner[F any] struct {
	mu    sync.Mutex // protects the field below
	forms F
}

// Knows sets the forms. Call it before the learner is used.
func (l *Learner[F]) Knows(forms F) { l.forms = forms }

// Ask makes a request by once, and again in the forms that next returns for what the server
// said of one that it refused, until next has no note of what it has changed. Forms in which
// the request is taken are remembered, and the answer has the notes.
func (l *Learner[F]) Ask(ctx context.Context, once func(F) (*models.Answer, *Said, error), next func(F, *Said) (F, string)) (*models.Answer, error) {
	l.mu.Lock()
	f := l.forms
	l.mu.Unlock()
	for notes := []string(nil); ; {
		a, refused, err := once(f)
		if err == nil && notes != nil {
			a.Notes = append(notes, a.Notes...)
			l.mu.Lock()
			l.forms = f
			l.mu.Unlock()
		}
		note := ""
		if refused != nil && refuses.MatchString(refused.words()) && ctx.Err() == nil {
			f, note = next(f, refused)
		}
		if note == "" {
			return a, err
		}
		notes = append(notes, note)
	}
}

// refuses matches the words of a server that does not take a member, whatever its value.
var refuses = regexp.MustCompile(`unknown variant|must be a string|no endpoints|(un|not |n't |not be |not yet )(supported|recognized|known|expected|available|permitted|allowed|implemented|used|combined|enabled)|support|extra|unrecognized|unexpected|deprecated|cannot|can't|incompatible|invalid|instead|only|exceed|maximum|verified|forbidden|refus|reject|must be`)

func (s *Said) words() string { return strings.ToLower(s.param + ": " + s.code + ": " + s.Words) }

// Has reports whether what is said contains one of the words, which are in lower case.
func (s *Said) Has(all ...string) bool {
	words := s.words()
	return slices.ContainsFunc(all, func(word string) bool { return strings.Contains(words, word) })
}

// tooHigh matches the words of a server that takes a bound, but not one so high.
var tooHigh = regexp.MustCompile(`too (large|high|big|long|many)|at most|maximum|less than|range|exceed|greater|smaller|<=|≤|>`)

var digits = regexp.MustCompile(`\d+`)

// Bound reports whether a bound is refused as too high, and returns the highest number below it that
// is named: the bound of the server. 0: none is.
func (s *Said) Bound(refused int) (most int, beyond bool) {
	words := s.words()
	if beyond = tooHigh.MatchString(words); beyond {
		for _, n := range digits.FindAllString(words, -1) {
			if n, err := strconv.Atoi(n); err == nil && n < refused {
				most = max(most, n)
			}
		}
	}
	return most, beyond
}

// NamesFiles reports whether a refusal is one of pictures or documents, or of content that is no text.
func (s *Said) NamesFiles() bool {
	return s.Has("image", "picture", "vision", "multimodal", "multi-modal", "modalit", "media", "document", "pdf", "file", "content")
}

// Names returns the first member of a request that is named, apart from some; "": none is. A
// name that could be a word has to be in quotes, or a path.
func (s *Said) Names(sent map[string]any, but ...string) string {
	words := s.words()
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		quoted := func() bool {
			return regexp.MustCompile(`(^|: |["'` + "`" + `.])` + regexp.QuoteMeta(name) + `(["'` + "`" + `.]|:)`).MatchString(words)
		}
		whole := strings.Contains(name, "_") || name == "temperature"
		if !slices.Contains(but, name) && (whole && strings.Contains(words, name) || !whole && quoted()) {
			return name
		}
	}
	return ""
}

// InPrompt returns what the end of a system prompt says of a schema.
func InPrompt(s *models.Schema) string {
	return "\n\nAnswer with one JSON object that conforms to this JSON schema, and with nothing else:\n" + string(s.JSON)
}
