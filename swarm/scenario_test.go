package swarm_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var update = flag.Bool("update", false, "rewrite the logs in testdata with what the swarm does")

// scene returns the options of a scenario, and the answer of a person, if it has one.
func scene(t *testing.T, file []byte) (o swarm.Options, answer signals.Any) {
	t.Helper()
	o.Seed, o.Clock = 3, swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0)
	byID := map[string]*actor{}
	var order []*actor
	for line := range strings.Lines(string(file)) {
		who, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch who {
		case "":
		case "policy":
			o.Conflicts = map[string]settle.Policy{
				"debate": settle.ByDebate, "majority": settle.ByMajority, "escalate": settle.ByEscalation,
			}[what]
		case "rounds":
			o.Limits.Rounds, _ = strconv.Atoi(what)
		case "mode":
			if err := o.Mode.UnmarshalText([]byte(what)); err != nil {
				t.Fatal(err)
			}
		case "speakers":
			o.Limits.Speakers, _ = strconv.Atoi(what)
		case "writer":
			o.Coordination.Writer = &scribe{text: what}
		case "shows", "later": // of the result
		case "calls":
			o.Limits.Calls, _ = strconv.Atoi(what)
		case "traits":
			traits := mode.Traits{FactsDiffer: strings.Contains(what, "facts"), Checkable: strings.Contains(what, "check")}
			o.Traits = func(context.Context, signals.Task) mode.Traits { return traits }
		case "coordinator":
			o.Coordination.Coordinator = what
		case "advocate":
			o.Coordination.Advocate = what
		case "answer":
			answer = signals.With(signalOf(t.Context(), &agents.Turn{}, what), signals.Header{Source: "ceo", Confidence: 1})
		default:
			if byID[who] == nil {
				byID[who] = &actor{id: who}
				order = append(order, byID[who])
			}
			byID[who].lines = append(byID[who].lines, what)
		}
	}
	for _, a := range order {
		o.Agents = append(o.Agents, a.agent(t))
	}
	return o, answer
}

// act runs a scenario from wherever its journal is, to its end.
func act(t *testing.T, file []byte, j journal.Store) *solves.Result {
	t.Helper()
	o, answer := scene(t, file)
	o.Journal = j
	s := newSwarm(t, o)
	past, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	var r *solves.Result
	if len(past) == 0 {
		r, err = s.Solve(t.Context(), signals.Task{Task: "x"})
	} else {
		r, err = s.Resume(t.Context(), past[0].Log, nil)
	}
	if err == nil && answer != nil && r.Stop == runlog.StopEscalated {
		r, err = s.Resume(t.Context(), r.Log, answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

// told returns a log as text, without records of rounds.
func told(r *solves.Result) string {
	var b strings.Builder
	names, summaries, found, lines := map[signals.ID]string{}, map[signals.ID]string{}, map[signals.ID]string{}, map[signals.ID]string{}
	for _, p := range r.Proposals {
		names[p.Proposal.ID] = p.ID()
	}
	for _, s := range r.Log {
		h := s.Head()
		line := ""
		switch p := s.Body().(type) {
		case runlog.Began:
			switch {
			case p.Debate.Round > 0:
				line = "debate: " + p.Debate.String()
			case p.Against != "":
				line = "somebody argues against " + p.Against
			case p.Effort != 0:
				line = p.Effort.String() + " turns"
			case p.Ask != 0:
				line = asked(p)
			}
		case runlog.Planned, settle.Unpaid:
			line = fmt.Sprint(p)
		case signals.Discovery:
			found[h.ID] = p.Finding
			line = fmt.Sprintf("%s states %s", h.Source, p.Finding)
		case signals.Proposal:
			line = fmt.Sprintf("%s proposes %s", h.Source, p.Content)
		case signals.Vote:
			line = fmt.Sprintf("%s %ss with %s (%v)", h.Source, p.Stance, p.ProposalID, p.Weight)
			if why := found[h.ReplyTo]; why != "" {
				line += ", since " + why
			}
		case signals.Challenge:
			line = fmt.Sprintf("%s against %s: %s", h.Source, names[p.TargetSignalID], p.CounterArgument)
		case signals.Conflict:
			line = p.Description
		case conflict.Resolution:
			line = fmt.Sprintf("settled by %s for %q: %s", p.How, names[p.Winner], p.Reason)
		case routing.Timer:
			line = fmt.Sprintf("%s of %s after %v", p.Name, h.Recipients, h.Time.Sub(r.Log[0].Head().Time))
		case signals.Escalation:
			line = "asked: " + p.Reason + "\n    " + strings.ReplaceAll(p.Context, "\n", "\n    ")
		}
		if line == "" {
			line = coordinatedLine(s, summaries)
		}
		if line == "" {
			line = groundedLine(s, lines)
		}
		if lines[h.ID] = line; line != "" {
			fmt.Fprintf(&b, "%d %s\n", h.Round, line)
		}
	}
	for _, v := range r.Fallen {
		fmt.Fprintf(&b, "the vote of %s on %s has fallen\n", v.Source, v.Payload.ProposalID)
	}
	fmt.Fprintf(&b, "%s %s\n", r.Stop, r.Answer)
	fmt.Fprintln(&b, r.Detail)
	return b.String()
}

// asked says of which agents a round asks what.
func asked(p runlog.Began) string {
	turns, err := p.All()
	if err != nil {
		return err.Error()
	}
	line := p.Ask.String() + " of"
	for _, b := range turns {
		line += " " + b.Agent
	}
	return line
}

// TestScenarios runs each scenario in testdata. The log is what the file says, the same
// wherever the solve is broken off, and what a replay derives.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { checkScenario(t, path) })
		})
	}
}

func checkScenario(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	script, whole := archive.Files[0].Data, new(journal.Memory)
	r := act(t, script, whole)
	got := told(r) + shown(script, r) + later(t, script, whole, r)
	if *update {
		archive.Files = append(archive.Files[:1], txtar.File{Name: "log", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
		t.Fatal(diff)
	}
	said, _ := parts(t, whole)
	for n := range whole.Last() + 1 {
		j := cut(t, whole, n)
		again := act(t, script, j)
		if diff := cmp.Diff(shown(script, r), shown(script, again)); diff != "" {
			t.Fatalf("cut after record %d: %s", n, diff)
		}
		now, _ := parts(t, j)
		if diff := cmp.Diff(said, now); diff != "" {
			t.Fatalf("cut after record %d:\n%.2000s", n, diff)
		}
		if _, err := replayed(t, j); err != nil {
			t.Fatalf("cut after record %d: %v", n, err)
		}
	}
}
