package thinker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A form is one thing that an agent can say.
type form struct {
	kind   signals.Kind // "" for pass
	name   string
	about  string
	fields []field
}

// A field is a member of a form. It is a string, one of some values, several of them, or a
// number.
type field struct {
	name, about  string
	values       []string
	number, list bool
	schema       any // of its value; nil: by the others
}

func words(name, about string) field { return field{name: name, about: about} }

func number(name, about string) field { return field{name: name, about: about, number: true} }

func choice(name, about string, values ...string) field {
	return field{name: name, about: about, values: values}
}

var (
	confidence = number("confidence", "how sure you are, from 0 to 1")
	about      = words("about", "its number, such as S12 or P1")
	summary    = words("summary", "one sentence that can be acted on")
	details    = words("details", "what else has to be known for it, or empty")
	causal     = choice("causal", "correlation if two things were seen together, intervention if changing one changed the other, counterfactual if without one there would not have been the other; else none",
		"none", "correlation", "intervention", "counterfactual")
	to = choice("to", "who gets it: the coordinator, all, or who continues (selected)", "coordinator", "selected", "all")
)

var forms = []form{
	{signals.KindDiscovery, "discovery", "something that you found out and the others should know", []field{
		words("finding", "what"), words("evidence", "what supports it"), causal, number("relevance", "to the task, from 0 to 1"), confidence,
	}},
	{signals.KindProposal, "proposal", "a solution of the task that others can vote on, if none says the same", []field{
		words("content", "the whole solution"), words("reasons", "why"), confidence,
	}},
	{signals.KindDoubt, "doubt", "a concern about something that was said", []field{
		about, words("concern", "what"), choice("severity", "low, medium or high", "low", "medium", "high"), confidence,
	}},
	{signals.KindChallenge, "challenge", "an argument against something that was said", []field{
		about, words("counterargument", "why it is wrong"), words("alternative", "a better solution, or empty"), causal, confidence,
	}},
	{signals.KindVote, "vote", "where you stand on a proposal, once there is one; your own need your vote too; vote again only if you change your mind", []field{
		words("proposal", `its number, such as P1, or "new" for the one in this answer`), words("reasons", "why"),
		choice("stance", "agree, disagree or abstain", "agree", "disagree", "abstain"), confidence,
	}},
	{signals.KindEscalation, "escalation", "a question to somebody outside, only where the agents cannot decide: it ends the work", []field{
		words("reason", "what has to be decided"), words("context", "what has to be known for it"),
	}},
	{signals.KindRetraction, "retraction", "that something you said before no longer holds", []field{about, words("reasons", "why")}},
	{coordination.KindAttention, "attention", "something that another should look at", []field{to, summary, details}},
	{coordination.KindConfidence, "confidence", "how far your own work can be relied on: 0 if you cannot continue without more input", []field{summary, details, confidence}},
	{coordination.KindConflict, "conflict", "two views that cannot both stand, where it affects the answer", []field{
		choice("state", "active, or resolved", "active", "resolved"), summary, details, confidence,
	}},
	{coordination.KindHandoff, "handoff", "that others can continue with your work", []field{
		to, choice("state", "ready, or partial if more will follow", "ready", "partial"), summary, details,
	}},
	{coordination.KindEscalation, "alarm", "that the plan has to change at once", []field{
		to, choice("state", "interrupt: stop the plan; uncertainty: it takes more thinking", "interrupt", "uncertainty"),
		choice("priority", "critical if it must not go on before somebody has answered", "normal", "high", "critical"), summary, details,
	}},
	{coordination.KindTransition, "settled", "that something addressed to you has been dealt with", []field{words("about", "its number, such as S12")}},
	{signals.KindMemory, "memory", "a fact that is worth knowing in later work, too, in one sentence that needs no context", []field{
		words("content", "the fact"), words("category", "a word for its subject, such as operations"), words("about", "the number of what it follows from, such as S12, or empty"),
		number("importance", "from 0 to 1"), confidence,
	}},
	{"", "pass", "nothing to add", []field{words("reason", "why")}},
}

// citing returns the forms with a member of a proposal that names the facts it follows from,
// of those that the turn shows.
func citing(all []form, facts []string) []form {
	because := field{
		name: "because", about: `an array of the numbers of the facts that it follows from, such as ["S4", "S7"]; empty if of none`,
		values: facts, list: true,
	}
	for i := range all {
		if all[i].kind == signals.KindProposal {
			all[i].fields = slices.Insert(slices.Clone(all[i].fields), 1, because)
		}
	}
	return all
}

// formOf returns the form for a kind, or nil.
func formOf(k signals.Kind) *form {
	if k == (agents.Passed{}).Kind() {
		k = ""
	}
	for i := range forms {
		if forms[i].kind == k {
			return &forms[i]
		}
	}
	return nil
}

// has reports whether the form has a member.
func (f *form) has(name string) bool {
	return slices.ContainsFunc(f.fields, func(member field) bool { return member.name == name })
}

// formsOf returns the forms that an agent may use.
func formsOf(may func(signals.Kind) bool) (all []form) {
	for _, f := range forms {
		if f.kind == "" || may(f.kind) {
			all = append(all, f)
		}
	}
	return all
}

// String returns the form as described in the system prompt.
func (f *form) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s: {"type": %q`, f.about, f.name)
	for _, field := range f.fields {
		fmt.Fprintf(&b, `, %q: (%s)`, field.name, field.about)
	}
	return b.String() + "}"
}

// mostSaid is the maximum number of elements of an answer.
const mostSaid = 8

// schemas are those of answers by the forms that have been used, since a turn takes as long to write
// one as for all the rest of its prompt.
var schemas sync.Map // of [2]uint64 to *models.Schema

// schemaOf returns the schema of an answer, in which votes refer to one of the proposals. It is not
// to be modified.
func schemaOf(all []form, proposals int) *models.Schema {
	key := [2]uint64{uint64(proposals)}
	for _, f := range all {
		key[1] |= 1 << slices.IndexFunc(forms, func(of form) bool { return of.kind == f.kind })
		if proposals > 64 || slices.ContainsFunc(f.fields, func(of field) bool { return of.list || of.schema != nil }) {
			return newSchema(all, proposals)
		}
	}
	if known, ok := schemas.Load(key); ok {
		return known.(*models.Schema)
	}
	s, _ := schemas.LoadOrStore(key, newSchema(all, proposals))
	return s.(*models.Schema)
}

func newSchema(all []form, proposals int) *models.Schema {
	var options []any
	for _, f := range all {
		if f.kind == signals.KindVote && proposals == 0 && !has(all, signals.KindProposal) {
			continue // there is nothing to vote on
		}
		options = append(options, f.schema(proposals, has(all, signals.KindProposal)))
	}
	text, err := json.Marshal(object(property{
		"say", map[string]any{"type": "array", "maxItems": mostSaid, "items": map[string]any{"anyOf": options}},
	}))
	if err != nil {
		panic(err) // of strings alone
	}
	return &models.Schema{Name: "answer", JSON: text}
}

func has(all []form, k signals.Kind) bool {
	for _, f := range all {
		if f.kind == k {
			return true
		}
	}
	return false
}

func (f *form) schema(proposals int, proposes bool) any {
	properties := []property{{"type", enum(f.name)}}
	for _, field := range f.fields {
		var of any
		switch {
		case field.schema != nil:
			of = field.schema
		case field.list:
			of = map[string]any{"type": "array", "items": enum(field.values...)}
		case field.number:
			of = map[string]any{"type": "number"}
		case field.values != nil:
			of = enum(field.values...)
		case field.name == "proposal":
			var refs []string
			for i := range proposals {
				refs = append(refs, fmt.Sprintf("P%d", i+1))
			}
			if proposes {
				refs = append(refs, "new")
			}
			of = enum(refs...)
		default:
			of = map[string]any{"type": "string"}
		}
		properties = append(properties, property{field.name, of})
	}
	return object(properties...)
}

func enum(values ...string) any { return map[string]any{"type": "string", "enum": values} }

// A property is a member of an object. Properties keep their order, in which models
// generate them: reasons come before conclusions.
type property struct {
	name string
	of   any
}

type properties []property

// MarshalJSON implements [json.Marshaler].
func (all properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range all {
		of, err := json.Marshal(p.of)
		if err != nil {
			return nil, err
		}
		open := byte('{')
		if i > 0 {
			open = ','
		}
		b.WriteByte(open)
		fmt.Fprintf(&b, "%q:%s", p.name, of)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func object(all ...property) any {
	required := make([]string, len(all))
	for i, p := range all {
		required[i] = p.name
	}
	return map[string]any{"type": "object", "properties": properties(all), "required": required, "additionalProperties": false}
}
