package claims

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// KindWritten is the kind of [Written].
const KindWritten signals.Kind = "answer:written"

// Written is an answer that somebody was asked to write.
type Written struct {
	Text string `json:"text"`          // required
	By   string `json:"by,omitempty"`  // who wrote it; "": the template
	Why  string `json:"why,omitempty"` // why it is by the template
}

// Kind returns [KindWritten].
func (Written) Kind() signals.Kind { return KindWritten }

// Check implements [signals.Checker].
func (p Written) Check(l signals.Limits) error { return l.Text("text", p.Text) }

// String returns the text.
func (p Written) String() string { return p.Text }

// A Writer writes answers. Write gets a brief and returns a text, each paragraph of which
// cites what it is from. It is called after the decision of a solve, which waits for it until
// the context ends, and then leaves it behind.
type Writer interface {
	Name() string
	Write(ctx context.Context, b *Brief) (string, error)
}

// TemplateOf returns the answer that a log has, or else that of the template.
func TemplateOf(b *Brief) Written {
	for i := len(b.Log) - 1; i >= 0; i-- {
		if w, ok := signals.As[Written](b.Log[i]); ok {
			return w.Payload
		}
	}
	return Written{Text: b.Text()}
}

// Write asks a writer. If it fails, if it has not returned when the context ends, or if its text
// does not cite the log, the answer is that of the template, and says why.
func Write(ctx context.Context, w Writer, b *Brief) Written {
	says, err := await(ctx, w, b)
	if err == nil {
		err = b.Check(says)
	}
	if err != nil {
		return Written{Text: b.Text(), Why: text.Cut(err.Error(), 1<<10)}
	}
	return Written{Text: strings.TrimSpace(says), By: w.Name()}
}

// await waits for what a writer writes until the context ends.
func await(ctx context.Context, w Writer, b *Brief) (string, error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	type written struct {
		text string
		err  error
	}
	back := make(chan written, 1) // with room, so that a writer that is left behind ends when it returns
	go func() {
		text, err := write(ctx, w, b)
		back <- written{text, err}
	}()
	select {
	case got := <-back:
		return got.text, got.err
	case <-ctx.Done():
		return "", fmt.Errorf("synthesis: %s had not returned: %w", w.Name(), context.Cause(ctx))
	}
}

func write(ctx context.Context, w Writer, b *Brief) (text string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("synthesis: %s panicked: %v", w.Name(), v)
		}
	}()
	return w.Write(ctx, b)
}

// The errors of [Brief.Check].
var (
	ErrUncited = errors.New("synthesis: a paragraph cites nothing of the log, or says nothing")
	ErrCited   = errors.New("synthesis: no claim of the log is cited")
	ErrLong    = errors.New("synthesis: the text is too long")
	ErrPlain   = errors.New("synthesis: the text is not UTF-8, or has control characters")
)

// MaxAnswer is how many bytes a text may have.
const MaxAnswer = 8 << 10

var citation = regexp.MustCompile(`\[(\d+(?:\s*,\s*\d+)*)\]`)

// hidden reports whether no reader sees a character, other than white space and joiners of letters.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf) && !strings.ContainsRune("\n\r\t\u200c\u200d", r)
}

// Check reports what is wrong with a text: characters that no reader sees, a paragraph without a citation, or a citation of
// what claims nothing in the log.
func (b *Brief) Check(text string) error {
	if len(text) > MaxAnswer {
		return fmt.Errorf("%w: %d bytes", ErrLong, len(text))
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, hidden) {
		return ErrPlain
	}
	claimed := map[uint64]bool{}
	for c := range b.Graph.All() {
		claimed[c.Seq] = true
	}
	paragraphs := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		paragraphs++
		all := citation.FindAllStringSubmatch(line, -1)
		if len(all) == 0 || !strings.ContainsFunc(citation.ReplaceAllString(line, ""), unicode.IsLetter) {
			return fmt.Errorf("%w: %.60q", ErrUncited, line)
		}
		for _, m := range all {
			for n := range strings.SplitSeq(m[1], ",") {
				if seq, err := strconv.ParseUint(strings.TrimSpace(n), 10, 64); err != nil || !claimed[seq] {
					return fmt.Errorf("%w: [%s]", ErrCited, strings.TrimSpace(n))
				}
			}
		}
	}
	if paragraphs == 0 {
		return fmt.Errorf("%w: there is no text", ErrUncited)
	}
	return nil
}
