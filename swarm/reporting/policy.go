package reporting

import (
	"context"
	"iter"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

// A Policy answers escalations. Answer is called in the conductor's turn, once for each
// escalation in log order, and concurrently in different solves. It returns the verdict
// with an option of the escalation or a text, or nil to leave it open; the Request of
// the ruling is filled in.
type Policy interface {
	Answer(ctx context.Context, worker string, asked reports.Escalation) (*reports.Ruling, error)
}

// Scripted is a function as a [Policy].
type Scripted func(worker string, asked reports.Escalation) *reports.Ruling

// Answer calls f.
func (f Scripted) Answer(_ context.Context, worker string, asked reports.Escalation) (*reports.Ruling, error) {
	return f(worker, asked), nil
}

// Lead returns an agent of the team that answers escalations by a policy. It is never a
// person: it asks one, by a [signals.Escalation], about escalations that require it, and about
// whatever its policy leaves open. An error of the policy fails the turn.
func Lead(id string, p Policy) *agents.Agent {
	return &agents.Agent{
		ID: id, Role: "answers escalations", Listens: []signals.Kind{reports.Requested{}.Kind()}, CanEmit: []signals.Kind{reports.Ruling{}.Kind(), signals.KindEscalation},
		Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			return func(yield func(signals.Any, error) bool) {
				for _, s := range turn.New {
					if said, err := rule(ctx, p, s); (said != nil || err != nil) && !yield(said, err) {
						return
					}
				}
			}
		}),
	}
}

// rule returns the ruling on an escalation, or the question to a person; nil: it is none.
func rule(ctx context.Context, p Policy, s signals.Any) (signals.Any, error) {
	asked, ok := signals.As[reports.Requested](reports.Typed(s))
	if !ok {
		return nil, nil
	}
	var r *reports.Ruling
	if e := asked.Payload.Escalation; !e.RequiresHuman {
		var err error
		if r, err = p.Answer(ctx, asked.Source, e); err != nil {
			return nil, err
		}
	}
	if r == nil {
		return question(asked.Thread, asked.ID, asked.Source, asked.Payload.Escalation), nil
	}
	ruling := *r
	ruling.Request = asked.ID
	return reports.NewRuling(ruling), nil
}
