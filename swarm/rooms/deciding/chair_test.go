package deciding_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/deciding"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// solver proposes a choice and agrees with it. If it asks, it escalates until a person has
// answered in the solve. It tells took of each turn.
func solver(name, choice string, asks bool, took func(agent string, round int)) *agents.Agent {
	return &agents.Agent{ID: name, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		took(name, t.Round)
		if asks && !answered(t) {
			return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "nobody knows the brand"}))
		}
		if len(t.Proposals) == 0 && name == "Reed" {
			return agents.Emit(agents.Propose("choice", choice, 0.9, "as mail is"))
		}
		var said []signals.Any
		for _, s := range t.Proposals {
			if s.VoteOf(name) == nil {
				said = append(said, agents.Agree(s.ID(), 0.9, "fine"))
			}
		}
		return agents.Emit(said...)
	})}
}

func answered(t *agents.Turn) bool {
	return slices.ContainsFunc(append(slices.Clone(t.Heard), t.New...), func(s signals.Any) bool {
		m, ok := signals.As[signals.Memory](s)
		return ok && m.Source == events.FromUser && m.Payload.Content == "@Dana the brand is teal"
	})
}

// A life is a room with three members and a chair.
type life struct {
	store  *journal.Memory
	keys   string
	asks   bool
	choice string // "": teal
	took   func(agent string, round int)
}

// lived runs a room until it has answered the messages of the user, and returns what is in
// the log then.
func lived(t *testing.T, asks bool, messages ...string) (all []events.Event) {
	t.Helper()
	l := life{store: new(journal.Memory), keys: t.TempDir(), asks: asks, took: func(string, int) {}}
	return l.run(t, messages...)
}

// other is a model's summary of results, which differs from the decision.
func other(context.Context, events.Tool) (string, error) { return "The members have talked.", nil }

func (l life) run(t *testing.T, messages ...string) (all []events.Event) {
	t.Helper()
	chair := deciding.Chair{Name: "Dana", Options: swarm.Options{Seed: 7}, Solver: func(member string) *agents.Agent {
		if member == "Dana" {
			return nil
		}
		return solver(member, cmp.Or(l.choice, "teal"), l.asks, l.took)
	}}
	handsOver := &agents.Agent{ID: "Rune", Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] {
		return agents.Emit(rooms.Words("@Dana decide: Which colour?"))
	})}
	roster := []rooms.Standing{{Agent: chair.Agent(), Rooms: []string{"ops"}}, {Agent: handsOver, Rooms: []string{"ops"}}}
	for _, name := range []string{"Reed", "Veda"} {
		roster = append(roster, rooms.Standing{Agent: &agents.Agent{ID: name, Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] {
			return agents.Emit()
		})}, Rooms: []string{"ops"}})
	}
	r, err := rooms.New(t.Context(), &rooms.Options{Store: l.store, Keys: &events.Keys{Dir: l.keys}, Agents: roster, Stub: other})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	for _, message := range messages {
		if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: message}); err != nil {
			t.Fatal(err)
		}
		if err := r.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ran; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for e, err := range rooms.Log(l.store, 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// said returns the signals of members in the solve with a section.
func said(all []events.Event, ix int) (got []string) {
	for _, e := range all {
		if s, ok := e.Body.(events.Signal); ok && s.Ix == ix && (s.What == signals.KindProposal || s.What == signals.KindVote || s.What == signals.KindEscalation) {
			got = append(got, s.By+" "+string(s.What))
		}
	}
	return got
}

// summary has the chair's messages, with priorities, and the ends of its calls.
func summary(all []events.Event) (got []string) {
	for _, e := range all {
		switch b := e.Body.(type) {
		case events.Dialogue:
			if e.From == "Dana" {
				got = append(got, b.Priority.String()+": "+b.Content)
			}
		case events.Tool:
			if b.Status.Over() {
				got = append(got, b.Status.String()+": "+*b.Stub)
			}
		}
	}
	return got
}

// teal is what the chair posts once both members have agreed.
const teal = `teal (reached "choice": 2 of 2 agree, all of the weight; 70 % is needed; 2 voted, the quorum is 2; 90 % that it is right, by the votes alone)`

func TestMembersDecideAndTheChairPostsTheDecision(t *testing.T) {
	t.Parallel()
	all := lived(t, false, "@Dana decide: Which colour?")
	if diff := gocmp.Diff([]string{"done: " + teal, "normal: " + teal + " §1"}, summary(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, e := range all {
		if tool, ok := e.Body.(events.Tool); ok && tool.Status.Over() && (!strings.Contains(*tool.Result, "Veda") || tool.Args["task"] != "Which colour?") {
			t.Errorf("the section has not what the members said: %v, %s", tool.Args, *tool.Result)
		}
	}
}

func TestChairPostsALongDecisionInFull(t *testing.T) {
	t.Parallel()
	choice := strings.Repeat("teal as mail is, ", 40) + "and\n\nnothing else"
	l := life{store: new(journal.Memory), keys: t.TempDir(), choice: choice, took: func(string, int) {}}
	got := summary(l.run(t, "@Dana decide: Which colour?"))
	if len(got) != 2 || !strings.HasPrefix(got[1], "normal: "+choice+" (reached ") {
		t.Errorf("got %q", got)
	}
}

func TestAgentHandsADecisionOverToTheMembers(t *testing.T) {
	t.Parallel()
	if diff := gocmp.Diff([]string{"done: " + teal, "normal: " + teal + " §1"}, summary(lived(t, false, "@Rune go on"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPersonAnswersAnEscalationInTheRoom(t *testing.T) {
	t.Parallel()
	got := summary(lived(t, true, "@Dana decide: Which colour?", "@Dana the brand is teal", "@Dana thank you"))
	if len(got) != 4 || !strings.HasPrefix(got[0], "done: A person has to decide: ") || !strings.HasPrefix(got[1], schedule.Urgent.String()+": A person has to decide: ") ||
		!strings.HasSuffix(got[1], "Answer me: @Dana …") || got[2] != "done: "+teal || got[3] != "normal: "+teal+" §2" {
		t.Errorf("got %q", got)
	}
}

// A question is found in the log even if it is older than the recent events.
func TestPersonAnswersMuchLater(t *testing.T) {
	t.Parallel()
	messages := []string{"@Dana decide: Which colour?"}
	for i := range 140 {
		messages = append(messages, fmt.Sprintf("@Reed FYI %d", i))
	}
	got := summary(lived(t, true, append(messages, "@Dana the brand is teal")...))
	if !slices.Contains(got, "done: "+teal) {
		t.Errorf("got %q", got)
	}
}

// If several questions are open, an answer names one, or is for the newest.
func TestPersonAnswersOneOfTwoQuestions(t *testing.T) {
	t.Parallel()
	all := lived(t, true, "@Dana decide: Which colour?", "@Dana decide: Which brand?", "@Dana the brand is teal", "@Dana §1 the brand is teal")
	var continued []string
	for _, e := range all {
		if tool, ok := e.Body.(events.Tool); ok && tool.Status == events.Pending && tool.Args["continues"] != nil {
			continued = append(continued, fmt.Sprint(tool.Args["continues"], " ", tool.Args["task"]))
		}
	}
	if diff := gocmp.Diff([]string{"§2 Which brand?", "§1 Which colour?"}, continued); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A solve that asks again is named by the section of the call that asked last, too.
func TestPersonAnswersAQuestionThatIsAskedAgain(t *testing.T) {
	t.Parallel()
	all := lived(t, true, "@Dana decide: Which colour?", "@Dana decide: Which brand?", "@Dana §1 not yet known", "@Dana §2 not yet known", "@Dana §3 not yet known")
	var continued []string
	for _, e := range all {
		if tool, ok := e.Body.(events.Tool); ok && tool.Status == events.Pending && tool.Args["continues"] != nil {
			continued = append(continued, fmt.Sprint(tool.Args["continues"]))
		}
	}
	if diff := gocmp.Diff([]string{"§1", "§2", "§1"}, continued); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only a message that begins with it asks for a decision, and only one to the chair answers.
func TestACommandInsideAMessageIsIgnored(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"@Dana please do not decide: we wait for Ada", `@Dana I said "decide: which colour" is how one asks`, "@Dana\n> decide: which colour"} {
		if got := summary(lived(t, false, message)); len(got) != 0 {
			t.Errorf("%s: %q", message, got)
		}
	}
	for _, e := range lived(t, true, "Dana, Decide: Which colour?", "Lunch is at noon.") {
		if tool, ok := e.Body.(events.Tool); ok && tool.Args["continues"] != nil {
			t.Errorf("the solve got as the person's answer what was said to all: %q", tool.Args["answer"])
		}
	}
}

// TestAnswerContinuesTheSolveThatAsked reads the signals of one solve, which has the
// escalations and the results of the answer.
func TestAnswerContinuesTheSolveThatAsked(t *testing.T) {
	t.Parallel()
	all := lived(t, true, "@Dana decide: Which colour?", "@Dana the brand is teal")
	got := said(all, 1)
	if first := slices.Index(got, "Reed proposal"); first < 1 || !slices.Contains(got[:first], "Reed escalate") || slices.Contains(got[first:], "Reed escalate") || !slices.Contains(got, "Veda vote") {
		t.Errorf("the solve has %q", got)
	}
	if more := said(all, 2); more != nil {
		t.Errorf("another solve has %q", more)
	}
}

// TestSolveThatIsKilledContinuesInTheRoom cuts off the journal before the first vote.
func TestSolveThatIsKilledContinuesInTheRoom(t *testing.T) {
	t.Parallel()
	keys := t.TempDir()
	whole := life{store: new(journal.Memory), keys: keys, took: func(string, int) {}}
	want := said(whole.run(t, "@Dana decide: Which colour?"), 1)
	part := new(journal.Memory)
	for record, err := range whole.store.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(record.Body), `"kind":"vote"`) {
			break
		}
		if _, err := part.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var again []int
	all := life{store: part, keys: keys, took: func(_ string, round int) {
		mu.Lock()
		defer mu.Unlock()
		again = append(again, round)
	}}.run(t)
	if diff := gocmp.Diff(want, said(all, 1)); diff != "" || len(want) < 3 {
		t.Errorf("the solve (-whole +killed):\n%s", diff)
	}
	if slices.Contains(again, 1) || len(again) == 0 {
		t.Errorf("members have had turns of the rounds %v again", again)
	}
	if diff := gocmp.Diff([]string{"done: " + teal, "normal: " + teal + " §1"}, summary(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
