package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// question is the input of solve.
type question struct {
	Task    string `json:"task" jsonschema:"what the team decides"`
	Team    string `json:"team,omitempty" jsonschema:"default: the first one"`
	Context string `json:"context,omitempty" jsonschema:"background for the agents"`

	FactsDiffer *bool `json:"factsDiffer,omitempty" jsonschema:"whether the agents know different facts, all of which matter: a team that chooses its mode (auto) goes by it. Default: what the team says"`
	Checkable   *bool `json:"checkable,omitempty" jsonschema:"whether who has a right answer can prove it to the others, which auto goes by. Default: what the team says"`
}

// solved is the result of solve.
type solved struct {
	Solve    string        `json:"solve" jsonschema:"id, for show and why"`
	Team     string        `json:"team"`
	State    string        `json:"state" jsonschema:"decided, undecided, waiting (for a person), interrupted or failed"`
	Answer   string        `json:"answer,omitempty"`
	Stop     string        `json:"stop,omitempty"`
	Detail   string        `json:"detail,omitempty" jsonschema:"why it stopped"`
	Decision *api.Decision `json:"decision,omitempty" jsonschema:"with the reason and the dissent"`
	Asks     []asks        `json:"asks,omitempty" jsonschema:"questions that a person has to answer in the console before it goes on"`
	Cost     api.Cost      `json:"cost"`
}

type asks struct {
	By      string `json:"by"`
	Reason  string `json:"reason"`
	Context string `json:"context,omitempty"`
}

func (s *Server) solveTool(teams []api.Team) *sdk.Tool {
	in, _ := jsonschema.For[question](nil) // its types have schemas
	longest := 64 << 10
	for _, text := range []string{"task", "context"} {
		in.Properties[text].MaxLength = &longest
	}
	about := "Gives a team of agents a task, waits until it has decided, and returns the answer, how sure it is, and who dissents. It may take minutes and cost money; cancelling the call cancels the work."
	if len(teams) == 0 {
		about += " This server has no team: swarmbus mcp --team NAME."
	}
	for _, t := range teams {
		in.Properties["team"].Enum = append(in.Properties["team"].Enum, t.Name)
		about += fmt.Sprintf("\n- %s: %s (%s)", t.Name, line(t.Description, 300), line(strings.Join(t.Agents, ", "), 300))
	}
	return &sdk.Tool{
		Name: "solve", Title: "Ask a team", Description: about, InputSchema: in, OutputSchema: &jsonschema.Schema{Type: "object"},
		Annotations: &sdk.ToolAnnotations{},
	}
}

func (s *Server) solve(ctx context.Context, req *sdk.CallToolRequest, in question) (*sdk.CallToolResult, solved, error) {
	select {
	case s.solves <- struct{}{}:
		defer func() { <-s.solves }()
	default:
		s.o.Refused(nameOf(req.Session), fmt.Sprintf("more than %d solves at once", cap(s.solves)))
		return nil, solved{}, fmt.Errorf("%d solves are running for clients: wait for one, or cancel it", cap(s.solves))
	}
	f := &following{s: s, req: req}
	if f.id = req.Params.RequestState; f.id != "" {
		// A client that calls again with answers says which solve they are for. It may name
		// another one: all clients of a server may see and answer everything.
		if err := f.answers(ctx); err != nil {
			return nil, solved{}, err
		}
	} else if err := f.start(ctx, in); err != nil {
		return nil, solved{}, err
	}
	return f.whole(ctx)
}

// following is a call of solve.
type following struct {
	s        *Server
	req      *sdk.CallToolRequest
	id       string
	seq      uint64 // of the newest signal reported to the client
	declined bool   // its user declined to answer
}

func (f *following) start(ctx context.Context, in question) error {
	if in.Team == "" {
		teams, err := f.s.o.Backend.Solves.Teams(ctx)
		if err != nil {
			return err
		}
		if len(teams) == 0 {
			return errors.New("this server has no team: swarmbus mcp --team NAME")
		}
		in.Team = teams[0].Name
	}
	if extra := f.req.GetExtra(); extra != nil {
		ctx = hooks.Caused(ctx, extra.Header.Get)
	}
	ctx = hooks.Caused(ctx, func(name string) string { // said with the call, it is nearer than what the transport says
		value, _ := f.req.Params.Meta[name].(string)
		return value
	})
	one, err := f.s.o.Backend.Solves.Start(ctx, api.NewSolve{Team: in.Team, Task: in.Task, Context: in.Context, FactsDiffer: in.FactsDiffer, Checkable: in.Checkable})
	f.id = one.ID
	return err
}

// whole follows the solve until it stops, or asks a question that the client cannot put to its
// user. If the client has cancelled the call, or is gone, whole cancels the solve.
func (f *following) whole(ctx context.Context) (*sdk.CallToolResult, solved, error) {
	defer func() {
		if ctx.Err() != nil {
			api.Leave(ctx, f.s.o.Backend.Solves, f.id)
		}
	}()
	for {
		one, err := f.stopped(ctx)
		if err != nil {
			return nil, solved{}, err
		}
		items, err := f.open(ctx)
		if err != nil {
			return nil, solved{}, err
		}
		if one.State == api.Waiting && len(items) == 0 {
			if err := f.s.o.Backend.Solves.Changed(ctx, one.Solve); err != nil { // it goes on in a moment
				return nil, solved{}, err
			}
			continue
		}
		if one.State != api.Waiting || f.declined || !f.canAsk() {
			return nil, resultOf(one, items), nil
		}
		if f.req.ProtocolVersion() >= byResult {
			return &sdk.CallToolResult{InputRequests: forms(items), RequestState: f.id}, solved{}, nil
		}
		if err := f.ask(ctx, items); err != nil {
			return nil, solved{}, err
		}
	}
}

// stopped returns the solve once it has stopped, and reports its signals to the client until
// then.
func (f *following) stopped(ctx context.Context) (api.SolveDetail, error) {
	for {
		one, err := f.s.o.Backend.Solves.Get(ctx, f.id, f.seq)
		if err != nil {
			return one, err
		}
		f.tell(ctx, one)
		if one.State != api.Running {
			return one, nil
		}
		if err := f.s.o.Backend.Solves.Changed(ctx, one.Solve); err != nil {
			return one, err
		}
	}
}

// tell reports the newest signals as progress.
func (f *following) tell(ctx context.Context, one api.SolveDetail) {
	token := f.req.Params.GetProgressToken()
	if len(one.Said) == 0 {
		return
	}
	last := one.Said[len(one.Said)-1]
	f.seq = last.Seq
	if token == nil {
		return
	}
	said := fmt.Sprintf("round %d, %s: %s", last.Round, line(last.By, 40), line(cmp.Or(last.Text, last.Form), 160))
	_ = f.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(one.Signals), Message: said}) // a client that is gone has cancelled the call
}

// open returns the questions of the solve.
func (f *following) open(ctx context.Context) ([]api.Item, error) {
	all, err := f.s.o.Backend.Inbox.Items(ctx, false)
	return slices.DeleteFunc(all, func(i api.Item) bool { return i.Solve != f.id }), err
}

func resultOf(one api.SolveDetail, items []api.Item) solved {
	of := solved{
		Solve: one.ID, Team: one.Team, State: one.State, Answer: one.Answer, Stop: one.Stop, Detail: one.Detail, Decision: one.Decision, Cost: one.Cost,
	}
	for _, i := range items {
		of.Asks = append(of.Asks, asks{By: i.Asks, Reason: i.Reason, Context: i.Context})
	}
	return of
}
