package thinker

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// said is one element of an answer, of any form.
type said struct {
	Type        string   `json:"type"`
	Finding     string   `json:"finding"`
	Evidence    string   `json:"evidence"`
	Relevance   *float64 `json:"relevance"`
	Content     string   `json:"content"`
	Reasons     string   `json:"reasons"`
	Because     refs     `json:"because"`
	About       string   `json:"about"`
	Concern     string   `json:"concern"`
	Severity    string   `json:"severity"`
	Counter     string   `json:"counterargument"`
	Alternative string   `json:"alternative"`
	Proposal    string   `json:"proposal"`
	Stance      string   `json:"stance"`
	Confidence  *float64 `json:"confidence"`
	Reason      string   `json:"reason"`
	Context     string   `json:"context"`
	Causal      string   `json:"causal"`
	Category    string   `json:"category"`
	Importance  *float64 `json:"importance"`
	note

	value json.RawMessage // the content, where it may be any JSON value
}

// Refs are references to signals. Models write several as an array, and some as one string.
type refs []string

// UnmarshalJSON implements [json.Unmarshaler].
func (r *refs) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*r = strings.FieldsFunc(one, func(r rune) bool { return strings.ContainsRune(" ,;", r) })
		return nil
	}
	err := json.Unmarshal(text, (*[]string)(r))
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		wrong.Field = "because"
	}
	return err
}

// A reading is the result of reading an answer.
type reading struct {
	signals  []signals.Any
	problems []string
	by       *models.Instead // the model that answered in place of the one that was asked; nil: that one did
}

// read converts an answer to signals, and describes what does not conform.
func (v *view) read(a *models.Answer, all []form) (r reading) {
	if a.Finish == models.FinishLength {
		cut := "the answer was cut off because it was too long"
		if n := a.Usage.Reasoning; n > a.Usage.Output/2 {
			cut += fmt.Sprintf(": %d of its %d tokens went to reasoning (a smaller reasoning_effort takes fewer)", n, a.Usage.Output)
		}
		r.problems = append(r.problems, cut)
	}
	r.by = a.Instead
	elements, err := v.elements(a.Text)
	if err != nil {
		r.problems = append(r.problems, err.Error())
		return r
	}
	x := &reader{view: v, forms: all, voted: map[string]bool{}}
	for _, i := range inOrder(elements) {
		x.dropped = nil
		s, err := x.signal(&elements[i])
		if err == nil {
			err = signals.Validate(s)
		}
		if p, ok := signals.As[signals.Proposal](s); ok && err == nil {
			x.made = p.Payload.ProposalID
		}
		if err != nil {
			r.problems = append(r.problems, fmt.Sprintf("element %d (%s): %v", i+1, clip(elements[i].Type), err))
			continue
		}
		r.signals = append(r.signals, s)
		for _, ref := range x.dropped {
			r.problems = append(r.problems, fmt.Sprintf(`element %d (%s): because names "%s", which is not a fact that was shown; those are %s`, i+1, clip(elements[i].Type), clip(ref), strings.Join(v.facts, ", ")))
		}
	}
	return r
}

// inOrder returns the elements' indices, with votes on a new proposal after it.
func inOrder(elements []said) (order []int) {
	proposal := slices.IndexFunc(elements, func(s said) bool { return s.Type == "proposal" })
	var early []int
	for i := range elements {
		if i < proposal && elements[i].Type == "vote" && elements[i].Proposal == "new" {
			early = append(early, i)
			continue
		}
		order = append(order, i)
		if i == proposal {
			order = append(order, early...)
		}
	}
	return order
}

func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced {
		inner = strings.TrimPrefix(inner, "json")
		text = strings.TrimSuffix(strings.TrimSpace(inner), "```")
	}
	return text
}

// elementsOf reads an answer, which has to be one JSON object, except for the code fence
// that some models add. The content of an element may be anyContent.
func elementsOf[E said | valued](text string, anyContent bool) ([]E, error) {
	text = unfenced(text)
	var object struct {
		Say *[]E `json:"say"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("not the JSON object that was asked for: %s", wrong(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON object")
	}
	d = json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // of members that are not read, a number may have any size
	if err := unambiguous(d, anyContent); err != nil {
		return nil, err
	}
	switch {
	case object.Say == nil:
		return nil, errors.New(`no member "say"`)
	case len(*object.Say) > mostSaid:
		return nil, fmt.Errorf("%d elements, of which at most %d are allowed", len(*object.Say), mostSaid)
	}
	return *object.Say, nil
}

// wrong describes an error of package json to a model: shortly, and without Go's types.
func wrong(err error) string {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err.Error()
	}
	want := "a string"
	switch kind.Type.Kind() {
	case reflect.Float64:
		want = "a number from 0 to 1"
	case reflect.Slice:
		want = "an array"
	case reflect.Struct:
		want = "an object"
	}
	return fmt.Sprintf(`"%s" has to be %s, not %s`, clip(kind.Field), want, clip(kind.Value))
}

// unambiguous refuses a value with an object that has a member twice, or one whose name
// is not in lower case. Of two members, package json takes the last, and it reads an
// array into the elements of the one before: a vote would be one that the model did not state.
// It also takes "STANCE" for "stance", and so "ſtance", with a long s. What is in a content that may be
// any value has other rules.
func unambiguous(d *json.Decoder, anyContent bool) error {
	token, err := d.Token()
	if token != json.Delim('{') && token != json.Delim('[') {
		return err
	}
	names, said := map[string]bool{}, ""
	for d.More() {
		if token == json.Delim('{') {
			name, err := d.Token()
			if err != nil {
				return err
			}
			said = fmt.Sprint(name)
			switch lower := strings.ToLower(strings.ToUpper(said)); {
			case said != lower:
				return fmt.Errorf(`it has a member "%s", whose name has to be in lower case: "%s"`, clip(said), clip(lower))
			case names[said]:
				return fmt.Errorf(`it has the member "%s" twice in one object`, clip(said))
			}
			names[said] = true
		}
		if anyContent && said == "content" {
			err = d.Decode(new(json.RawMessage))
		} else {
			err = unambiguous(d, anyContent)
		}
		if err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// newProposal returns the id of a new proposal: the agent's name and the next number.
func (v *view) newProposal() string {
	for n := 1; n < 1000; n++ {
		id := v.Agent + "-" + strconv.Itoa(n)
		if _, taken := v.Standing(id); !taken && len(id) <= signals.NameBytes {
			return id
		}
	}
	return v.NewID().String()
}

// A reader converts the elements of one answer to signals.
type reader struct {
	*view
	forms []form
	made  string // the id of the proposal in the answer, "" if there is none or it was refused
	voted map[string]bool

	dropped []string // references of a proposal to what was not shown
}

func (x *reader) signal(s *said) (signals.Any, error) {
	f := x.form(s.Type)
	if f == nil {
		return nil, errors.New("the type is not one of those offered")
	}
	if s.Type == "pass" {
		return agents.Pass(s.Reason), nil
	}
	h := signals.Header{}
	if f.has("confidence") {
		if s.Confidence == nil || !(*s.Confidence >= 0 && *s.Confidence <= 1) {
			return nil, errors.New("confidence has to be a number from 0 to 1")
		}
		h.Confidence = *s.Confidence + 0 // -0 becomes 0
	}
	switch s.Type {
	case "discovery":
		if s.Relevance == nil {
			return nil, errors.New("relevance is missing")
		}
		if err := s.level(&h); err != nil {
			return nil, err
		}
		return signals.New(h, signals.Discovery{Finding: s.Finding, Evidence: s.Evidence, Relevance: *s.Relevance + 0}), nil
	case "memory":
		return x.memory(h, s)
	case "proposal":
		if x.made != "" {
			return nil, errors.New("an answer may make one proposal, and this is the second")
		}
		return x.newAnswer(h, s)
	case "vote":
		return x.vote(h, s)
	case "escalation":
		h.Confidence = 1
		return signals.New(h, signals.Escalation{Reason: s.Reason, Context: s.Context}), nil
	case "doubt", "challenge":
		return x.objection(h, s)
	case "retraction":
		return x.retraction(s)
	case "settled":
		id, err := x.target(s.About)
		return coordination.Resolution(id), err
	default:
		return s.draft(s.Type)
	}
}

// newAnswer returns a proposal. It replies to the first fact that the model says it follows
// from; the ids of the others are in its reasons, where claims are looked for. What names no fact
// that was shown is dropped.
func (x *reader) newAnswer(h signals.Header, s *said) (signals.Any, error) {
	reasons, more := s.Reasons, []string(nil)
	if !x.cites {
		s.Because = nil // it was not asked for
	}
	for _, ref := range s.Because {
		if !slices.Contains(x.facts, ref) {
			x.dropped = append(x.dropped, ref)
			continue
		}
		id, err := x.target(ref)
		switch {
		case err != nil:
			return nil, err
		case h.ReplyTo.IsZero():
			h.ReplyTo = id
		case id != h.ReplyTo:
			more = append(more, id.String())
		}
	}
	if len(more) > 0 {
		reasons = fmt.Sprintf("%s (It also follows from %s.)", reasons, strings.Join(more, ", "))
	}
	content := s.Content
	if x.Task.Schema != "" {
		var err error
		if content, err = x.value(s); err != nil {
			return nil, err
		}
	}
	return signals.New(h, signals.Proposal{ProposalID: x.newProposal(), Content: content, Reasoning: reasons}), nil
}

// form returns the form of that name that the agent may use, or nil.
func (x *reader) form(name string) *form {
	for i := range x.forms {
		if x.forms[i].name == name {
			return &x.forms[i]
		}
	}
	return nil
}

// vote returns a vote with the stance, reasons and confidence that the model stated.
func (x *reader) vote(h signals.Header, s *said) (signals.Any, error) {
	id, err := x.made, error(nil)
	if s.Proposal != "new" || x.made == "" {
		id, err = x.proposal(s.Proposal)
	}
	if err != nil {
		return nil, err
	}
	var stance signals.Stance
	if err := stance.UnmarshalText([]byte(s.Stance)); err != nil {
		return nil, errors.New("stance has to be agree, disagree or abstain")
	}
	switch {
	case text.Blank(s.Reasons):
		return nil, errors.New("reasons are missing: say why")
	case x.voted[id]:
		return nil, fmt.Errorf("second vote on %s", clip(s.Proposal))
	case h.Confidence == 0 && stance != signals.Abstain:
		return nil, errors.New("a vote with confidence 0 weighs nothing: abstain, or say how sure you are")
	}
	x.voted[id] = true
	return signals.New(h, signals.Vote{ProposalID: id, Stance: stance, Reasoning: s.Reasons, Weight: h.Confidence}), nil
}

// level sets the causal level that the model stated.
func (s *said) level(h *signals.Header) error {
	if s.Causal == "" || s.Causal == "none" {
		return nil
	}
	if err := h.CausalLevel.UnmarshalText([]byte(s.Causal)); err != nil {
		return errors.New("causal has to be none, correlation, intervention or counterfactual")
	}
	return nil
}

// memory returns a fact to share.
func (x *reader) memory(h signals.Header, s *said) (_ signals.Any, err error) {
	if s.Importance == nil {
		return nil, errors.New("importance is missing")
	}
	if s.About != "" {
		if h.ReplyTo, err = x.target(s.About); err != nil {
			return nil, err
		}
	}
	return signals.New(h, signals.Memory{Content: s.Content, Category: s.Category, Importance: *s.Importance + 0}), nil
}

// retraction takes back something that the agent said.
func (x *reader) retraction(s *said) (signals.Any, error) {
	id, err := x.target(s.About)
	if err != nil {
		return nil, err
	}
	own := slices.ContainsFunc(x.Said, func(of signals.Any) bool { return of.Head().ID == id })
	if !own {
		return nil, fmt.Errorf("%s is not your own", clip(s.About))
	}
	return signals.Retract(id, s.Reasons), nil
}

// objection returns a doubt or a challenge.
func (x *reader) objection(h signals.Header, s *said) (signals.Any, error) {
	about, err := x.target(s.About)
	if err != nil {
		return nil, err
	}
	h.ReplyTo = about
	if s.Type == "challenge" {
		if err := s.level(&h); err != nil {
			return nil, err
		}
		return signals.New(h, signals.Challenge{TargetSignalID: about, CounterArgument: s.Counter, AlternativeProposal: s.Alternative}), nil
	}
	var severity signals.Severity
	if err := severity.UnmarshalText([]byte(s.Severity)); err != nil {
		return nil, errors.New("severity has to be low, medium or high")
	}
	return signals.New(h, signals.Doubt{TargetSignalID: about, Concern: s.Concern, Severity: severity}), nil
}

// own returns what the agent said in an earlier turn as a valid answer, because models
// imitate their earlier answers. So it includes reasons even in cheap turns.
func (v *view) own(all []signals.Any) string {
	var elements []json.RawMessage
	whole := *v
	whole.details = true
	for _, s := range all {
		f := formOf(s.Kind())
		if f == nil {
			continue
		}
		if tr, ok := signals.As[coordination.Transition](s); ok && tr.Payload.State != coordination.Resolved {
			continue // implied by a note that replaced another
		}
		l := &line{text: v.text}
		l.add("type", text.Prompt(f.name, signals.NameBytes))
		if n := coordination.NoteOf(s); n != nil {
			asSaid(l, n)
		} else {
			whole.body(l, s.Body())
		}
		if f.has("causal") {
			l.add("causal", text.Prompt(cmp.Or(s.Head().CausalLevel.String(), "none"), signals.NameBytes))
		}
		switch p := s.Body().(type) {
		case signals.Discovery:
			l.add("relevance", strconv.FormatFloat(p.Relevance, 'g', -1, 64))
		case signals.Memory:
			l.add("category", text.Prompt(p.Category, signals.NameBytes))
			about := `""`
			if _, known := v.ids[s.Head().ReplyTo]; known {
				about = v.refTo(s.Head().ReplyTo)
			}
			l.add("about", about)
			l.add("importance", strconv.FormatFloat(p.Importance, 'g', -1, 64))
		}
		if f.has("confidence") {
			l.add("confidence", strconv.FormatFloat(s.Head().Confidence, 'g', -1, 64))
		}
		elements = append(elements, json.RawMessage(l.String()))
	}
	if elements == nil {
		return `{"say":[{"type":"pass","reason":""}]}`
	}
	var b bytes.Buffer
	b.WriteString(`{"say":[`)
	for i, e := range elements {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(e)
	}
	b.WriteString(`]}`)
	return b.String()
}
