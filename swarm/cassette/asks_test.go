package cassette_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

// In the log of several processes questions and answers are signals, which count if the system
// says them.
func TestWhatTheSystemSaysOfCallsIsAskedAndAnswered(t *testing.T) {
	recorder, err := journal.NewRecorder(new(journal.Memory))
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	set := looking(recorder, &made, func() {})
	set.May[0].Policy = tools.Ask
	_, err = calling(t.Context(), set, nil, `{"word":"x"}`)
	var asks *tools.AskError
	if !errors.As(err, &asks) {
		t.Fatal(err)
	}
	q, log := asks.Questions[0], new(journal.Memory)
	say := func(source string, p signals.Payload) {
		t.Helper()
		var s signals.Any
		h := signals.Header{Seq: log.Last() + 1, ID: signals.MustID(fmt.Sprint("s", log.Last())), Source: source, Thread: "t", Time: time.Unix(int64(log.Last()), 0), Confidence: 1}
		switch p := p.(type) {
		case tools.AskedCall:
			s = signals.New(h, p)
		case tools.AnsweredCall:
			s = signals.New(h, p)
		}
		record, err := journal.SignalRecord(s)
		if err == nil {
			_, err = log.Append(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	answer := func(by string) tools.AnsweredCall {
		return tools.AnsweredCall{Place: q.Once, Answer: tools.Answer{Verdict: tools.AllowOnce, By: by}}
	}
	is := func(questions int, by string) {
		t.Helper()
		asks, err := cassette.AsksIn(log)
		if err != nil {
			t.Fatal(err)
		}
		all := asks.Questions()
		if len(all) != questions || questions > 0 && (all[0].Once != q.Once || all[0].Open != (by == "") || !all[0].After.Equal(time.Unix(1, 0))) {
			t.Fatalf("the log asks %+v", all)
		}
		if got := asks.Answers(); len(got) != min(len(by), 1) || by != "" && (got[0].Place != q.Once || got[0].Answer.By != by) {
			t.Errorf("the log answers %+v, want that of %q", got, by)
		}
	}
	say("a", tools.AskedOf(q))
	is(0, "")
	say(bus.System, tools.AskedOf(q))
	say(bus.System, tools.AskedOf(q))
	say("a", answer("a"))
	is(1, "")
	say(bus.System, answer("ada"))
	say(bus.System, answer("bob"))
	is(1, "ada")
}
