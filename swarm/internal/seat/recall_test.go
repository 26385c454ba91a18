package seat_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// recalled returns the seats of three agents after a log, in which turns begin with what
// is before them.
func recalled(t *testing.T, next bool, all ...signals.Any) seat.Roster {
	t.Helper()
	var seats seat.Roster
	for _, id := range []string{"u", "v", "w"} {
		seats = append(seats, seat.New(&agents.Agent{ID: id}, 10))
	}
	past, thread := seat.NewRecall(seats), runlog.New("t")
	for i, said := range all {
		h := said.Head()
		h.Seq, h.ID, h.Thread = uint64(i+1), signals.MustID(fmt.Sprint("s-", i+1)), "t"
		before, s := thread.Mark(), signals.With(said, h)
		if of := seats.Of(h.Source); of != nil {
			of.Spoke(s)
		}
		thread.Apply(s)
		begun, err := past.Take(s, thread, before)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range begun {
			turn.Round = int(h.Round)
		}
	}
	past.Close(next)
	return seats
}

func system(round int32, p signals.Any) signals.Any {
	return signals.With(p, signals.Header{Source: bus.System, Round: round, Recipients: p.Head().Recipients})
}

func began(t *testing.T, round int32, through uint64, ids ...string) signals.Any {
	t.Helper()
	var turns []runlog.BegunTurn
	for _, id := range ids {
		turns = append(turns, runlog.BegunTurn{Agent: id, Through: through})
	}
	text, err := runlog.TextOf(turns)
	if err != nil {
		t.Fatal(err)
	}
	return system(round, signals.New(signals.Header{Recipients: signals.To(bus.System)}, runlog.Began{Turns: text}))
}

func task() signals.Any { return system(0, signals.New(signals.Header{}, signals.Task{Task: "?"})) }

func says(source string, round int32) signals.Any {
	return signals.New(signals.Header{Source: source, Round: round}, signals.Vote{ProposalID: source, Stance: signals.Agree})
}

func note(round int32, p signals.Any) signals.Any {
	return system(round, signals.With(p, signals.Header{Recipients: signals.To(bus.System)}))
}

func TestTurnsBeforeTheLastOneThatSpokeAreOver(t *testing.T) {
	t.Parallel()
	failed := signals.New(signals.Header{}, runlog.FailedBy("u", 1, errors.New("no model")))
	failedToo := signals.New(signals.Header{}, runlog.FailedBy("v", 1, errors.New("no model")))
	refused := signals.New(signals.Header{}, runlog.RefusedBy("v", 1, signals.KindVote, errors.New("too many")))
	late := signals.New(signals.Header{}, runlog.Late{Agent: "u", Round: 1})
	stopped := signals.New(signals.Header{}, runlog.Decided{Name: "swarm", Decision: `{"outcome":"pending"}`, Stop: runlog.StopDeadline})
	for name, c := range map[string]struct {
		log  []signals.Any
		next bool
		want []string // whose turns are taken again
	}{
		"nobody spoke":                 {nil, false, []string{"u", "v", "w"}},
		"the second spoke":             {[]signals.Any{says("v", 1)}, false, []string{"v", "w"}},
		"the last spoke":               {[]signals.Any{says("u", 1), says("w", 1)}, false, []string{"w"}},
		"the next round was to begin":  {[]signals.Any{says("v", 1)}, true, nil},
		"the first failed":             {[]signals.Any{note(1, failed)}, false, []string{"u", "v", "w"}},
		"the first failed, then spoke": {[]signals.Any{note(1, failed), says("v", 1)}, false, []string{"v", "w"}},
		"the first two failed":         {[]signals.Any{note(1, failed), note(1, failedToo)}, false, []string{"u", "v", "w"}},
		"they failed, then one spoke":  {[]signals.Any{note(1, failed), note(1, failedToo), says("w", 1)}, false, []string{"w"}},
		"they failed, and a round was": {[]signals.Any{note(1, failed), note(1, failedToo)}, true, nil},
		"the second was refused":       {[]signals.Any{note(1, refused)}, false, []string{"v", "w"}},
		"the first is late":            {[]signals.Any{note(1, late), says("v", 1)}, false, []string{"u", "v", "w"}},
		"it failed, and the solve stopped": {
			[]signals.Any{note(1, failed), says("w", 1), system(1, stopped)}, false, []string{"u", "w"},
		},
		"it failed, and spoke after the stop": {
			[]signals.Any{note(1, failed), system(1, stopped), says("u", 1), says("w", 1)}, false, []string{"w"},
		},
		"it failed, and was the last to speak after the stop": {
			[]signals.Any{note(1, failed), says("w", 1), system(1, stopped), says("u", 1)}, false, []string{"u", "w"},
		},
		"it failed late, and spoke after the stop": {
			[]signals.Any{note(1, late), says("v", 1), note(1, failed), system(1, stopped), says("u", 1), says("w", 1), system(1, stopped)}, false, []string{"w"},
		},
		"it failed again after the stop": {
			[]signals.Any{note(1, late), note(1, failed), system(1, stopped), note(1, failed), says("u", 1), says("w", 1), system(1, stopped)}, false, []string{"u", "w"},
		},
	} {
		log := append([]signals.Any{task(), began(t, 1, 1, "u", "v", "w")}, c.log...)
		var got []string
		for _, turn := range recalled(t, c.next, log...).Turns() {
			got = append(got, turn.Agent)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRetakenTurnHearsTheSameSignals(t *testing.T) {
	t.Parallel()
	seats := recalled(t, false, task(), began(t, 1, 1, "u", "v", "w"), says("u", 1), says("v", 1), says("w", 1), began(t, 2, 4, "u"))
	turns := seats.Turns()
	if len(turns) != 1 || turns[0].Agent != "u" {
		t.Fatalf("got %v", turns)
	}
	var heard []string
	for _, s := range turns[0].New {
		heard = append(heard, s.Head().Source)
	}
	if want := []string{"v"}; !cmp.Equal(want, heard) || len(turns[0].Heard) != 1 || len(turns[0].Said) != 1 {
		t.Errorf("heard %v, want %v: what came later is for the next turn; before %v, said %v", heard, want, turns[0].Heard, turns[0].Said)
	}
	if known, _ := turns[0].Has(says("u", 2)); known {
		t.Error("the log has a signal of the turn that the agent did not say in it")
	}
}

func TestRefusedSignalIsNotPublishedAgain(t *testing.T) {
	t.Parallel()
	refused := note(1, signals.New(signals.Header{}, runlog.RefusedBy("u", 1, signals.KindVote, errors.New("too many"))))
	turn := recalled(t, false, task(), began(t, 1, 1, "u"), says("u", 1), refused, says("u", 1)).Turns()[0]
	var got []string
	for range 4 {
		known, refused := turn.Has(says("u", 1))
		got = append(got, fmt.Sprint(known, refused))
	}
	if diff := cmp.Diff([]string{"true false", "true true", "true false", "false false"}, got); diff != "" {
		t.Error(diff)
	}
}
