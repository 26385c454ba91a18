package memory

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/swarmbus/swarmbus/agents/tools"
)

const (
	toolName  = "recall"
	mostGiven = 16 // facts of a result of the tool
)

// A question is the input of the tool.
type question struct {
	About string `json:"about" jsonschema:"what the facts should be about"`
	Most  int    `json:"most,omitempty" jsonschema:"how many facts, up to 16"`
}

// A remembered fact as an agent is shown it.
type remembered struct {
	Content  string `json:"content"`
	Category string `json:"category"`
	State    string `json:"state"`
	Source   string `json:"source" jsonschema:"who said it first"`
	Date     string `json:"date" jsonschema:"when it was last said"`
}

// Tool returns a tool with which an agent recalls facts in its turn: the best facts about
// something, quarantined ones too, each with its state. It reads only; called again, it may
// find what was stored meanwhile.
func (p *Pool) Tool() tools.Tool {
	return tools.Func(toolName,
		"Facts from earlier work. A confirmed fact was stated by two that are independent; a quarantined one was not, and may be wrong.",
		tools.Hints{ReadsOnly: true, Repeatable: true}, p.recall)
}

func (p *Pool) recall(ctx context.Context, q question) ([]remembered, error) {
	found, err := p.Recall(ctx, Query{Text: q.About, Quarantined: true, Most: min(q.Most, mostGiven)})
	all := make([]remembered, 0, len(found))
	for _, f := range found {
		all = append(all, remembered{f.Content, f.Category, f.State().String(), f.first().Source, f.Time().UTC().Format("2006-01-02")})
	}
	return all, err
}

// given returns the facts in a result of the tool, also of one that was cut.
func given(result string) (all []Claim) {
	d := json.NewDecoder(strings.NewReader(result))
	var last json.Token
	for len(all) < 3*mostGiven { // "content" can be a fact, too
		token, err := d.Token()
		if err != nil {
			break
		}
		if text, ok := token.(string); ok && last == "content" {
			all = append(all, Claim{Content: text})
		}
		last = token
	}
	return all
}
