package transcript

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// JSON returns a function that writes each event to w, as one JSON object per
// line with the member "event": started, round, signal, refused, routed, failed,
// decision or stopped. docs/json.md lists their members. Its errors are those of w, and
// of payloads that cannot be written as JSON.
func JSON(w io.Writer) func(solves.Event) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(true)
	return func(e solves.Event) error {
		if _, piece := e.(solves.Saying); piece {
			return nil
		}
		return encode(out, line(e))
	}
}

// Log returns a function that writes only the signals, as one JSON object per
// line: the thread's log.
func Log(w io.Writer) func(solves.Event) error {
	out := json.NewEncoder(w)
	return func(e solves.Event) error {
		if spoke, ok := e.(solves.Spoke); ok {
			return encode(out, spoke.Signal)
		}
		return nil
	}
}

// encode writes a value, with a panic of a payload's methods as an error.
func encode(out *json.Encoder, value any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("transcript: a payload cannot be written as JSON: panic: %v", v)
		}
	}()
	return out.Encode(value)
}

type (
	startedLine struct {
		Event  string       `json:"event"`
		Thread string       `json:"thread"`
		Task   signals.Task `json:"task"`
		Seed   uint64       `json:"seed"`
		Agents []string     `json:"agents"`
	}
	roundLine struct {
		Event string   `json:"event"`
		Round int      `json:"round"`
		Turns []string `json:"turns"`
	}
	signalLine struct {
		Event  string      `json:"event"`
		Signal signals.Any `json:"signal"`
	}
	troubleLine struct {
		Event  string       `json:"event"`
		Agent  string       `json:"agent"`
		Signal signals.Kind `json:"kind,omitempty"`
		Error  string       `json:"error"`
	}
	decisionLine struct {
		Event    string             `json:"event"`
		Decision consensus.Decision `json:"decision"`
	}
	routedLine struct {
		Event  string         `json:"event"`
		Agent  string         `json:"agent"`
		Kind   signals.Kind   `json:"kind"`
		Seq    uint64         `json:"seq"`
		Action routing.Action `json:"action"`
		Tier   routing.Tier   `json:"tier,omitzero"`
		Route  string         `json:"route,omitempty"`
		Error  string         `json:"error,omitempty"`
	}
	stoppedLine struct {
		Event     string                `json:"event"`
		Stop      runlog.StopReason     `json:"stop"`
		Detail    string                `json:"detail"`
		Answer    string                `json:"answer,omitempty"`
		Fields    []solves.Field        `json:"fields,omitempty"` // of a value, and how many agree on each
		Decision  consensus.Decision    `json:"decision"`
		Tallies   []consensus.Tally     `json:"tallies"`
		Dissent   []consensus.Vote      `json:"dissent,omitempty"`
		Uncounted []consensus.Uncounted `json:"uncounted,omitempty"`
		Rounds    int                   `json:"rounds"`
		Signals   int                   `json:"signals"`
		Calls     int                   `json:"calls"`
		Mode      *modeLine             `json:"mode,omitempty"`
		Turns     solves.Turns          `json:"turns,omitzero"` // a log does not have them
		Missing   []string              `json:"missing,omitempty"`
		Passed    []runlog.TurnPassed   `json:"passed,omitempty"`
		Claims    []caseLine            `json:"claims,omitempty"`
		Retracted []uint64              `json:"retracted,omitempty"` // places of retractions in the log
		Fallen    []uint64              `json:"fallen,omitempty"`    // of votes that do not count because of them
		Talk      *solves.Diagnosis     `json:"talk"`
		Revision  *revisionLine         `json:"revision,omitempty"`
		Synthesis *claims.Written       `json:"synthesis,omitempty"`
		Account   bus.Account           `json:"account,omitzero"` // likewise

		Spent map[string]agents.Cost `json:"spent,omitempty"` // by agent
	}
)

// A revisionLine says what the votes decide without what was taken back after the decision.
type revisionLine struct {
	Retracted []uint64           `json:"retracted"` // places of these retractions in the log
	Decision  consensus.Decision `json:"decision"`
	Changed   bool               `json:"changed"`
}

func revisionOf(r *solves.Result) *revisionLine {
	if r.Revision == nil {
		return nil
	}
	return &revisionLine{placesOf(r.Revision.Said), r.Revision.Decision, r.Revision.Changed}
}

// synthesisOf returns the answer as a text; nil if there is no proposal.
func synthesisOf(r *solves.Result) *claims.Written {
	if len(r.Proposals) == 0 {
		return nil
	}
	w := r.Synthesis()
	return &w
}

// A modeLine says how a solve worked, and why.
type modeLine struct {
	Mode   mode.Mode `json:"mode"`
	Reason string    `json:"reason"`
	Calls  int       `json:"calls"` // the budget
}

func modeOf(r *solves.Result) *modeLine {
	if p := r.Planned; p != nil {
		return &modeLine{p.Mode, p.Reason, p.Calls}
	}
	return nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func line(e solves.Event) any {
	switch e := e.(type) {
	case solves.Started:
		var names []string
		for _, a := range e.Agents {
			names = append(names, a.ID)
		}
		return startedLine{"started", e.Thread, e.Task, e.Seed, names}
	case solves.RoundStarted:
		return roundLine{"round", e.Round, e.Turns}
	case solves.Spoke:
		return signalLine{"signal", e.Signal}
	case solves.Refused:
		return troubleLine{"refused", e.Agent, e.Kind, e.Err.Error()}
	case solves.Routed:
		return routedLine{
			"routed", e.Agent, e.Signal.Kind(), e.Signal.Head().Seq, e.Decision.Action, e.Decision.Tier, e.Decision.Route, errorText(e.Decision.Err),
		}
	case solves.TurnFailed:
		return troubleLine{"failed", e.Agent, "", e.Err.Error()}
	case solves.Weighed:
		return decisionLine{"decision", e.Decision}
	case solves.Saying: // shown as a signal when it is complete
	case solves.Stopped:
		r := e.Result
		return stoppedLine{
			"stopped", r.Stop, r.Detail, r.Answer, r.Fields(), r.Decision, r.Decision.Tallies(), r.Dissent(), r.Decision.Uncounted(),
			r.Rounds, len(r.Log), r.Calls, modeOf(r), r.Turns, r.Missing, r.Passed, casesOf(r), placesOf(r.Retracted), placesOf(r.Fallen), r.Talk(),
			revisionOf(r), synthesisOf(r), r.Account, r.Spent,
		}
	}
	return nil
}
