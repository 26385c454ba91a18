package swarm_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

var update = flag.Bool("update", false, "rewrite the logs in testdata with what the swarm does")

// An actor says what a scenario has it say: in a round, when it hears a challenge with
// a word, when something with a word is in its inbox, or, if it is a debater, as its next
// argument.
type actor struct {
	id    string
	lines []string // "ROUND TEXT", "hears WORD: TEXT", "mail WORD: TEXT", "argues TEXT"
}

func (a *actor) agent() *agents.Agent {
	var r agents.Reactor = agents.Func(a.react)
	for _, l := range a.lines {
		if strings.HasPrefix(l, "argues ") {
			r = debating{a}
		}
	}
	return &agents.Agent{ID: a.id, Reactor: r}
}

func (a *actor) react(_ context.Context, t *agents.Turn) seq {
	var said []signals.Any
	for _, l := range a.lines {
		when, text, _ := strings.Cut(l, " ")
		word, then, _ := strings.Cut(text, ": ")
		switch {
		case when == strconv.Itoa(t.Round):
			said = append(said, signalOf(t, text))
		case when == "hears" && hears(t, word), when == "mail" && mailed(t, word) != nil:
			said = append(said, signalOf(t, then))
		}
	}
	return agents.Emit(said...)
}

func hears(t *agents.Turn, word string) bool {
	for _, s := range t.New {
		c, ok := signals.As[signals.Challenge](s)
		if ok && strings.Contains(c.Payload.CounterArgument, word) {
			return true
		}
	}
	return false
}

// debating is an actor that argues with what the scenario has for it.
type debating struct{ *actor }

func (d debating) React(ctx context.Context, t *agents.Turn) seq { return d.react(ctx, t) }

func (d debating) Argue(_ context.Context, t *agents.Turn) seq {
	said := 0
	for _, s := range t.Said {
		if s.Kind() == signals.KindChallenge {
			said++
		}
	}
	for _, l := range d.lines {
		text, ok := strings.CutPrefix(l, "argues ")
		if !ok {
			continue
		}
		if said--; said < 0 {
			return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Challenge{
				TargetSignalID: t.Debate.Against.Proposal.ID, CounterArgument: text,
			}))
		}
	}
	return agents.Emit(agents.Pass("no more"))
}

// signalOf returns the signal of a line: "propose ID CONTENT because REASON", "agree ID
// WEIGHT REASON", "disagree ID WEIGHT REASON", or "instead ID CONTENT because REASON".
// The id of a proposal may be its content.
func signalOf(t *agents.Turn, line string) signals.Any {
	verb, rest, _ := strings.Cut(line, " ")
	id, rest, _ := strings.Cut(rest, " ")
	var target signals.ID
	for _, p := range t.Proposals {
		if p.ID() == id || p.Proposal.Payload.Content == id {
			id, target = p.ID(), p.Proposal.ID
		}
	}
	if s := coordinated(t, verb, id, rest); s != nil {
		return s
	}
	content, why, _ := strings.Cut(rest, " because ")
	switch verb {
	case "propose":
		return agents.Propose(id, content, 0.8, why)
	case "instead":
		return signals.New(signals.Header{Confidence: 0.8}, signals.Challenge{
			TargetSignalID: target, CounterArgument: why, AlternativeProposal: content,
		})
	}
	weight, why, _ := strings.Cut(rest, " ")
	sure, err := strconv.ParseFloat(weight, 64)
	if err != nil {
		panic(line)
	}
	if verb == "disagree" {
		return agents.Disagree(id, sure, why)
	}
	return agents.Agree(id, sure, why)
}

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
			o.Conflicts = map[string]swarm.ConflictPolicy{
				"debate": swarm.DebateConflicts, "majority": swarm.MajorityOnConflicts, "escalate": swarm.EscalateConflicts,
			}[what]
		case "rounds":
			o.Rounds, _ = strconv.Atoi(what)
		case "coordinator":
			o.Coordinator = what
		case "answer":
			answer = signals.With(signalOf(&agents.Turn{}, what), signals.Header{Source: "ceo", Confidence: 1})
		default:
			if byID[who] == nil {
				byID[who] = &actor{id: who}
				order = append(order, byID[who])
			}
			byID[who].lines = append(byID[who].lines, what)
		}
	}
	for _, a := range order {
		o.Agents = append(o.Agents, a.agent())
	}
	return o, answer
}

// act runs a scenario from wherever its journal is, to its end.
func act(t *testing.T, file []byte, j journal.Store) *swarm.Result {
	t.Helper()
	o, answer := scene(t, file)
	o.Journal = j
	s := newSwarm(t, o)
	past, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	var r *swarm.Result
	if len(past) == 0 {
		r, err = s.Solve(t.Context(), signals.Task{Task: "x"})
	} else {
		r, err = s.Resume(t.Context(), past[0].Log, nil)
	}
	if err == nil && answer != nil && r.Stop == swarm.StopEscalated {
		r, err = s.Resume(t.Context(), r.Log, answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

// told returns a log as text, without records of rounds.
func told(r *swarm.Result) string {
	var b strings.Builder
	names, summaries := map[signals.ID]string{}, map[signals.ID]string{}
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
			case p.Effort != 0:
				line = p.Effort.String() + " turns"
			}
		case signals.Proposal:
			line = fmt.Sprintf("%s proposes %s", h.Source, p.Content)
		case signals.Vote:
			line = fmt.Sprintf("%s %ss with %s (%v)", h.Source, p.Stance, p.ProposalID, p.Weight)
		case signals.Challenge:
			line = fmt.Sprintf("%s against %s: %s", h.Source, names[p.TargetSignalID], p.CounterArgument)
		case signals.Conflict:
			line = p.Description
		case conflict.Resolution:
			line = fmt.Sprintf("settled by %s for %q: %s", p.How, names[p.Winner], p.Reason)
		case signals.Escalation:
			line = "asked: " + p.Reason + "\n    " + strings.ReplaceAll(p.Context, "\n", "\n    ")
		}
		if line == "" {
			line = coordinatedLine(s, summaries)
		}
		if line != "" {
			fmt.Fprintf(&b, "%d %s\n", h.Round, line)
		}
	}
	fmt.Fprintf(&b, "%s %s\n", r.Stop, r.Answer)
	fmt.Fprintln(&b, r.Detail)
	return b.String()
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
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			script, whole := archive.Files[0].Data, new(journal.Memory)
			got := told(act(t, script, whole))
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
				act(t, script, j)
				now, _ := parts(t, j)
				if diff := cmp.Diff(said, now); diff != "" {
					t.Fatalf("cut after record %d:\n%.2000s", n, diff)
				}
				if _, err := replayed(t, j); err != nil {
					t.Fatalf("cut after record %d: %v", n, err)
				}
			}
		})
	}
}

// TestAWinnerThatTheVotesDidNotMakeIsFound turns the winner of a settled conflict round.
func TestAWinnerThatTheVotesDidNotMakeIsFound(t *testing.T) {
	t.Parallel()
	codec, err := signals.NewCodec(runlog.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"majority", "debate", "debate-lead", "three"} {
		archive, err := txtar.ParseFile("testdata/settling/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		whole, forged := new(journal.Memory), new(journal.Memory)
		act(t, archive.Files[0].Data, whole)
		for record, err := range whole.Read(0) {
			if err != nil {
				t.Fatal(err)
			}
			if record.Type == journal.TypeSignal {
				said, err := record.Signal(codec)
				if err != nil {
					t.Fatal(err)
				}
				if r, ok := signals.As[conflict.Resolution](said); ok {
					from, to := fmt.Appendf(nil, `"winner":"%s"`, r.Payload.Winner), fmt.Appendf(nil, `"winner":"%s"`, r.Payload.Loser())
					record.Body = bytes.ReplaceAll(record.Body, from, to)
				}
			}
			if _, err := forged.Append(record); err != nil {
				t.Fatal(err)
			}
		}
		var difference *swarm.Difference
		if _, err := replayed(t, forged); !errors.As(err, &difference) || !strings.HasPrefix(difference.What, "winner by ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
