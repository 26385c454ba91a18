package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// which is the input of runs.
type which struct {
	Run   string `json:"run,omitempty" jsonschema:"only the solves of this run; default: all runs, and the newest solves of the teams"`
	State string `json:"state,omitempty" jsonschema:"only solves in this state"`
	Text  string `json:"text,omitempty" jsonschema:"only solves with this in the task or the answer"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum number of solves; default: 20"`
}

// listed is the result of runs.
type listed struct {
	Runs   []api.Run `json:"runs"`
	Solves []brief   `json:"solves" jsonschema:"the newest first"`
}

// brief is a solve in a list.
type brief struct {
	ID     string `json:"id"`
	Task   string `json:"task"`
	State  string `json:"state"`
	Answer string `json:"answer,omitempty"`
	Detail string `json:"detail,omitempty"`
	Began  string `json:"began"`
}

// one is the input of why.
type one struct {
	Solve string `json:"solve" jsonschema:"id, or the name of a run with one solve"`
}

// part is the input of show.
type part struct {
	Solve string `json:"solve" jsonschema:"id, or the name of a run with one solve"`
	After uint64 `json:"after,omitempty" jsonschema:"only what was said after this position"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum number of signals; default: 50"`
}

// shown is the result of show.
type shown struct {
	Solve     string         `json:"solve"`
	Task      string         `json:"task"`
	State     string         `json:"state"`
	Answer    string         `json:"answer,omitempty"`
	Proposals []api.Proposal `json:"proposals"`
	Said      []api.Said     `json:"said" jsonschema:"in log order"`
	Next      uint64         `json:"next,omitempty" jsonschema:"call again with this as after; absent: that is all"`
}

// reasons is the result of why.
type reasons struct {
	Solve     string         `json:"solve"`
	Task      string         `json:"task"`
	State     string         `json:"state"`
	Answer    string         `json:"answer,omitempty"`
	Stop      string         `json:"stop,omitempty"`
	Detail    string         `json:"detail,omitempty"`
	Terms     api.Terms      `json:"terms" jsonschema:"how votes were counted"`
	Decision  *api.Decision  `json:"decision,omitempty" jsonschema:"with reason, dissent and what did not count"`
	Votes     []api.Vote     `json:"votes" jsonschema:"those that count: who decided what"`
	Turn      *api.Turning   `json:"turn,omitempty" jsonschema:"the signal that turned it"`
	RestsOn   []api.Rest     `json:"restsOn" jsonschema:"voters without whom the choice would not be made"`
	Otherwise []api.Cell     `json:"otherwise" jsonschema:"strategies and thresholds with another outcome on the same votes"`
	Obstacles []string       `json:"obstacles" jsonschema:"what withholds a decision"`
	People    []api.Answered `json:"people" jsonschema:"answers of people"`
}

const (
	mostSolves = 200
	mostSaid   = 200
	longText   = 4 << 10   // of a text in a result; the log has all of it
	longResult = 256 << 10 // of texts in a result
)

func (s *Server) addLooks() {
	in, _ := jsonschema.For[which](nil) // its types have schemas
	in.Properties["state"].Enum = []any{api.Running, api.Waiting, api.Decided, api.Undecided, api.Interrupted, api.Failed}
	object := &jsonschema.Schema{Type: "object"}
	addTool(s.sdk, &sdk.Tool{Name: "runs", Title: "List runs", Description: "Lists journals and solves, the newest first.", InputSchema: in, OutputSchema: object}, s.runs)
	addTool(s.sdk, &sdk.Tool{Name: "show", Title: "Show a solve", Description: "Tells what was said in a solve, signal by signal.", OutputSchema: object}, s.show)
	addTool(s.sdk, &sdk.Tool{
		Name: "why", Title: "Explain a decision", OutputSchema: object,
		Description: "Says who decided what in a solve and why, who dissents, what turned it, on whose votes it rests, and which strategy or threshold would have decided otherwise.",
	}, s.why)
	addTool(s.sdk, &sdk.Tool{
		Name: "outcome", Title: "Tell what was right", OutputSchema: object, Annotations: &sdk.ToolAnnotations{IdempotentHint: true},
		Description: "Records which proposal of a solve turned out to be right, so that its team weighs its agents by it from now on.",
	}, s.outcome)
}

// right is the input of outcome.
type right struct {
	Solve string `json:"solve" jsonschema:"id"`
	Right string `json:"right" jsonschema:"id of the proposal that was right, as show has it; empty: none of them was"`
}

func (s *Server) outcome(ctx context.Context, _ *sdk.CallToolRequest, in right) (*sdk.CallToolResult, brief, error) {
	one, err := s.o.Backend.Solves.Tell(ctx, in.Solve, api.Outcome{Right: in.Right})
	return nil, brief{ID: one.ID, Task: cut(one.Task), State: one.State, Answer: cut(one.Answer), Detail: cut(one.Detail), Began: one.Began.Format(time.RFC3339)}, err
}

func (s *Server) runs(ctx context.Context, _ *sdk.CallToolRequest, in which) (*sdk.CallToolResult, listed, error) {
	out := listed{Runs: []api.Run{}, Solves: []brief{}}
	all, err := s.o.Backend.Solves.List(ctx, api.SolvesQuery{Run: in.Run, State: in.State, Text: in.Text, Limit: most(in.Limit, 20, mostSolves)})
	if err != nil {
		return nil, out, err
	}
	for _, one := range all {
		out.Solves = append(out.Solves, brief{one.ID, cut(one.Task), one.State, cut(one.Answer), cut(one.Detail), one.Began.Format("2006-01-02T15:04:05Z07:00")})
	}
	if in.Run != "" {
		run, err := s.o.Backend.Runs.Run(ctx, in.Run)
		out.Runs = append(out.Runs, run)
		return nil, out, err
	}
	out.Runs, err = s.o.Backend.Runs.Runs(ctx)
	return nil, out, err
}

// most returns a limit that was asked for, within bounds.
func most(asked, usual, bound int) int {
	if asked <= 0 {
		return usual
	}
	return min(asked, bound)
}

// find returns the id of a solve: a run with one solve may stand for it.
func (s *Server) find(ctx context.Context, name string) (string, error) {
	if strings.Contains(name, ".") {
		return name, nil
	}
	all, err := s.o.Backend.Solves.List(ctx, api.SolvesQuery{Run: name, Limit: 10})
	if err != nil {
		return "", err
	}
	var ids []string
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	if len(ids) != 1 {
		return "", fmt.Errorf("the run %q has not one solve: %s", name, cmp.Or(strings.Join(ids, ", "), "none"))
	}
	return ids[0], nil
}

func (s *Server) show(ctx context.Context, _ *sdk.CallToolRequest, in part) (*sdk.CallToolResult, shown, error) {
	id, err := s.find(ctx, in.Solve)
	if err != nil {
		return nil, shown{}, err
	}
	of, err := s.o.Backend.Solves.Get(ctx, id, in.After)
	if err != nil {
		return nil, shown{}, err
	}
	out := shown{Solve: id, Task: cut(of.Task), State: of.State, Answer: cut(of.Answer), Proposals: of.Proposals, Said: []api.Said{}}
	size := 0
	for i := range out.Proposals {
		p := &out.Proposals[i]
		p.Content, p.Reasoning = cut(p.Content), cut(p.Reasoning)
	}
	for i, said := range of.Said {
		said.Text, said.Reason = cut(said.Text), cut(said.Reason)
		size += len(said.Text) + len(said.Reason)
		if len(out.Said) == most(in.Limit, 50, mostSaid) || size > longResult && i > 0 {
			out.Next = out.Said[len(out.Said)-1].Seq
			break
		}
		out.Said = append(out.Said, said)
	}
	return nil, out, nil
}

func (s *Server) why(ctx context.Context, _ *sdk.CallToolRequest, in one) (*sdk.CallToolResult, reasons, error) {
	id, err := s.find(ctx, in.Solve)
	if err != nil {
		return nil, reasons{}, err
	}
	of, err := s.o.Backend.Solves.Get(ctx, id, 0)
	if err != nil {
		return nil, reasons{}, err
	}
	out := reasons{
		Solve: id, Task: cut(of.Task), State: of.State, Answer: cut(of.Answer), Stop: of.Stop, Detail: of.Detail, Terms: of.Terms, Decision: of.Decision,
		Votes: []api.Vote{}, Turn: of.Turn, RestsOn: []api.Rest{}, Otherwise: []api.Cell{}, Obstacles: of.Obstacles, People: []api.Answered{},
	}
	for _, v := range of.Votes {
		if v.Counts && len(out.Votes) < mostSaid {
			v.Reasoning = cut(v.Reasoning)
			out.Votes = append(out.Votes, v)
		}
	}
	for _, r := range of.Rests {
		if r.Falls {
			out.RestsOn = append(out.RestsOn, r)
		}
	}
	for _, e := range of.Escalations {
		if e.Answer != nil {
			out.People = append(out.People, *e.Answer)
		}
	}
	if of.Decision == nil {
		return nil, out, nil
	}
	other, err := s.o.Backend.Solves.WhatIf(ctx, id, 0, nil)
	for _, row := range other.Strategies {
		for _, c := range row.Cells {
			if !c.Same {
				out.Otherwise = append(out.Otherwise, c)
			}
		}
	}
	return nil, out, err
}

// cut shortens a text that is long for a result.
func cut(s string) string { return text.Shorten(s, longText) }
