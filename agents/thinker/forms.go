package thinker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

// A form is one thing that an agent can say.
type form struct {
	kind   signals.Kind // "" for pass
	name   string
	about  string
	fields []field
}

type field struct{ name, about string }

var confidence = field{"confidence", "how sure you are, from 0 to 1"}

var forms = []form{
	{signals.KindDiscovery, "discovery", "something that you found out and the others should know", []field{
		{"finding", "what"}, {"evidence", "what supports it"}, {"relevance", "to the task, from 0 to 1"}, confidence,
	}},
	{signals.KindProposal, "proposal", "a solution of the task that others can vote on, if none says the same", []field{
		{"content", "the whole solution"}, {"reasons", "why"}, confidence,
	}},
	{signals.KindDoubt, "doubt", "a concern about something that was said", []field{
		{"about", "its number, such as S12 or P1"}, {"concern", "what"}, {"severity", "low, medium or high"}, confidence,
	}},
	{signals.KindChallenge, "challenge", "an argument against something that was said", []field{
		{"about", "its number, such as S12 or P1"}, {"counterargument", "why it is wrong"}, {"alternative", "a better solution, or empty"}, confidence,
	}},
	{signals.KindVote, "vote", "where you stand on a proposal; your own need your vote too; vote again only if you change your mind", []field{
		{"proposal", `its number, such as P1, or "new" for the one in this answer`}, {"reasons", "why"}, {"stance", "agree, disagree or abstain"}, confidence,
	}},
	{signals.KindEscalation, "escalation", "a question to somebody outside, only where the agents cannot decide: it ends the work", []field{
		{"reason", "what has to be decided"}, {"context", "what has to be known for it"},
	}},
	{"", "pass", "nothing to add", []field{{"reason", "why"}}},
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

// schema returns the schema of an answer, in which votes refer to one of the proposals.
func schema(all []form, proposals int) *models.Schema {
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
		switch field.name {
		case "confidence", "relevance":
			of = map[string]any{"type": "number"}
		case "severity":
			of = enum("low", "medium", "high")
		case "stance":
			of = enum("agree", "disagree", "abstain")
		case "proposal":
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
