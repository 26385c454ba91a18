package thinker

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/signals/retract"
)

// roleMark matches the role markers of some models' vocabularies, apart from those in
// angle brackets, which encoding/json escapes.
var roleMark = regexp.MustCompile(`\[(/?[A-Z_]+\])`)

// quote returns a text as a JSON string on one line, cut to most bytes, in which
// everything that could be taken for markup is escaped. A text with many escapes, which
// have six bytes and more, is cut further: with them it has at most twice as many bytes.
func quote(text string, most int) string {
	const ends = 64 // bytes of the quotes and of what says how much was cut
	quoted := escaped(text, most)
	for cut := most; len(quoted) > 2*most+ends; quoted = escaped(text, cut) {
		cut = cut * most / len(quoted)
	}
	return quoted
}

func escaped(text string, most int) string {
	if len(text) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = fmt.Sprintf("%s… (%d bytes more)", text[:cut], len(text)-cut)
	}
	quoted, err := json.Marshal(text)
	if err != nil { // strings always marshal
		return `""`
	}
	marked := roleMark.ReplaceAllString(string(quoted), `\u005b$1`)
	var b strings.Builder
	for _, r := range marked {
		switch {
		case unicode.IsPrint(r) && r != unicode.ReplacementChar && !isInvisible(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isInvisible reports whether a character that counts as printable shows nothing.
func isInvisible(r rune) bool {
	const blankBraille = 0x2800
	return r == blankBraille || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// shows reports whether a text has a character that can be seen.
func shows(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r != ' ' && r != unicode.ReplacementChar && unicode.IsPrint(r) && !isInvisible(r)
	})
}

// A line is a JSON object on one line, member by member.
type line struct {
	b    strings.Builder
	text int // maximum bytes of a text
}

func (l *line) add(name, raw string) {
	if l.b.Len() > 0 {
		l.b.WriteByte(',')
	}
	fmt.Fprintf(&l.b, "%q:%s", name, raw)
}

// say adds a member with a quoted text, unless it is empty.
func (l *line) say(name, text string) {
	if text != "" {
		l.add(name, quote(text, l.text))
	}
}

func (l *line) String() string { return "{" + l.b.String() + "}" }

// show returns a signal as a line, with its reasons if the view has details.
func (v *view) show(s signals.Any) string {
	h := s.Head()
	l := &line{text: v.text}
	l.add("ref", fmt.Sprintf(`"S%d"`, h.Seq))
	l.add("from", quote(h.Source, signals.NameBytes))
	l.add("kind", quote(label(s.Kind()), signals.NameBytes))
	v.body(l, s.Body())
	if m, ok := signals.As[signals.Memory](s); ok && h.Source == system { // of others it means nothing
		l.say("state", m.Payload.Origin.State)
		l.say("said by", m.Payload.Origin.Source)
	}
	l.say("causal", h.CausalLevel.String())
	if h.Confidence > 0 {
		l.add("confidence", fmt.Sprintf("%.2f", h.Confidence))
	}
	return l.String()
}

func label(k signals.Kind) string {
	name, _, _ := strings.Cut(string(k), ":")
	return name
}

// detail adds a text that cheap turns omit.
func (v *view) detail(l *line, name, text string) {
	if v.details {
		l.say(name, text)
	}
}

func (v *view) body(l *line, p signals.Payload) {
	switch p := p.(type) {
	case signals.Discovery:
		l.say("finding", p.Finding)
		v.detail(l, "evidence", p.Evidence)
	case signals.Proposal:
		l.add("proposal", v.refOf(p.ProposalID))
		l.say("content", p.Content)
		v.detail(l, "reasons", p.Reasoning)
	case signals.Doubt:
		l.add("about", v.refTo(p.TargetSignalID))
		l.say("concern", p.Concern)
		l.say("severity", p.Severity.String())
	case signals.Challenge:
		l.add("about", v.refTo(p.TargetSignalID))
		l.say("counterargument", p.CounterArgument)
		l.say("alternative", p.AlternativeProposal)
	case signals.Vote:
		l.add("proposal", v.refOf(p.ProposalID))
		l.say("stance", p.Stance.String())
		v.detail(l, "reasons", p.Reasoning)
	case signals.Conflict:
		l.add("between", fmt.Sprintf("[%s,%s]", v.refTo(p.SignalA), v.refTo(p.SignalB)))
		l.say("about", p.Description)
	case signals.Escalation:
		l.say("reason", p.Reason)
		v.detail(l, "context", p.Context)
	case signals.Memory:
		l.say("content", p.Content)
	case agents.Passed:
		l.say("reason", p.Reason)
	case signals.ToolResult:
		l.say("tool", p.ToolName)
		l.say("result", p.Result)
	case retract.Retraction:
		l.add("about", v.refTo(p.TargetSignalID))
		l.say("reasons", p.Reason)
	case coordination.Transition:
		l.add("about", v.refTo(p.Signals[0]))
	default:
		text, _ := json.Marshal(p)
		l.say("text", string(text))
	}
}
