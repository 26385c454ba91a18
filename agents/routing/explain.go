package routing

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/swarmbus/swarmbus/signals"
)

// An Explanation is a decision with all routes and the reason why each won or
// lost. It can be written as JSON.
type Explanation struct {
	Signal   signals.Kind `json:"signal"`
	State    State        `json:"state,omitempty"`
	Action   Action       `json:"action"`
	To       State        `json:"to,omitempty"`    // the state afterwards
	Error    string       `json:"error,omitempty"` // of the decision
	Routes   []Considered `json:"routes"`          // in order of precedence
	Decision Decision     `json:"-"`
}

// Considered is a route with its part in a decision.
type Considered struct {
	Tier     Tier         `json:"tier"`
	Plugin   string       `json:"plugin,omitempty"`
	Name     string       `json:"name"`
	Kind     signals.Kind `json:"kind"`
	Priority int          `json:"priority"`
	Action   Action       `json:"action"`
	Matches  bool         `json:"matches"` // it would decide if no route before it did
	Won      bool         `json:"won"`
	Why      string       `json:"why"` // the reason why it won or lost
}

// Explain returns what [Router.Decide] decides, and why. It also calls the
// predicates of outranked routes.
func (r *Router) Explain(state State, s signals.Any) Explanation {
	d := r.Decide(state, s)
	e := Explanation{Signal: s.Kind(), State: state, Action: d.Action, To: d.To, Decision: d}
	if d.Err != nil {
		e.Error = d.Err.Error()
	}
	var winner *registered
	for i := range r.all {
		c := r.all[i].consider(View{s, state}, winner)
		if c.Won {
			winner = &r.all[i]
		}
		e.Routes = append(e.Routes, c)
	}
	return e
}

// consider explains the part of a route, given the winner, if any.
func (r *registered) consider(v View, winner *registered) Considered {
	c := Considered{
		Tier: r.tier, Plugin: r.plugin, Name: r.name, Kind: r.Kind, Priority: r.Priority, Action: r.Action,
	}
	if r.Kind != v.Signal.Kind() {
		c.Why = "is for " + string(r.Kind)
		return c
	}
	if !r.in(v.State) {
		c.Why = fmt.Sprintf("is not for state %q", v.State)
		return c
	}
	at, err := first([]condition{r.condition()}, 0, v)
	switch {
	case err != nil && r.tier == TierStrategy && winner == nil:
		c.Won, c.Why = true, r.blame(err).Error()+"; the signal is rejected"
	case err != nil:
		c.Why = r.blame(err).Error()
	case at != 0:
		c.Why = "its predicate is false"
	case winner == nil:
		c.Matches, c.Won, c.Why = true, true, "the first match"
	default:
		c.Matches, c.Why = true, r.outranked(winner)
	}
	return c
}

func (r *registered) outranked(by *registered) string {
	switch {
	case by.tier != r.tier:
		return fmt.Sprintf("the %s tier outranks the %s tier, whatever the priority", by.tier, r.tier)
	case by.Priority != r.Priority:
		return fmt.Sprintf("priority %d is below %d", r.Priority, by.Priority)
	default:
		return "was registered later"
	}
}

// String returns the explanation as text: the decision, then a line for each
// route of the signal's kind.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s: %s%s\n", e.Signal, inState(e.State), e.Action, e.by())
	if e.Error != "" {
		fmt.Fprintln(&b, e.Error)
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	others := 0
	for _, c := range e.Routes {
		if c.Kind != e.Signal {
			others++
			continue
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%d\t%s\t%s\n", c.result(), c.owner(), c.Name, c.Priority, c.Action, c.Why)
	}
	table.Flush()
	if others > 0 {
		fmt.Fprintf(&b, "  and %d for other kinds\n", others)
	}
	return b.String()
}

func inState(s State) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf(" in state %q", s)
}

func (e Explanation) by() string {
	if e.Decision.Tier == 0 {
		return ", no route matches"
	}
	return fmt.Sprintf(", by %s route %q", e.Decision.Tier, e.Decision.Route)
}

func (c Considered) result() string {
	if c.Won {
		return "won"
	}
	return "lost"
}

func (c Considered) owner() string {
	if c.Plugin == "" {
		return c.Tier.String()
	}
	return fmt.Sprintf("%s %s", c.Tier, c.Plugin)
}
