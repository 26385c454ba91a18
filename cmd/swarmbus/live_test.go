package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestAStatusSaysHowASolveStands(t *testing.T) {
	began := time.Now()
	s := status{began: began, round: 2, running: 3, leader: "plan-1", support: 0.625, spent: func() string {
		return used(limits.Account{Spent: limits.Spend{Tokens: 1200}}, limits.Spend{Tokens: 20000})
	}}
	got := s.line(began.Add(12300*time.Millisecond), "critic", "so be it", 100)
	if want := "round 2 · 3 turns · plan-1 leads with 0.62 · 1200 of 20000 tokens · 12s · critic: so be it"; got != want {
		t.Errorf("got  %q,\nwant %q", got, want)
	}
	money := used(limits.Account{Spent: limits.Spend{Money: models.USD / 40}}, limits.Spend{Money: models.USD / 2})
	if want := "0.025 of 0.5usd"; money != want {
		t.Errorf("got %q, want %q", money, want)
	}
}

func TestANarrowStatusHasWhatIsSpentAndTheTime(t *testing.T) {
	s := status{round: 2, running: 3, leader: "exponential-backoff", support: 0.5, spent: func() string { return "1200 of 20000 tokens" }}
	for width, want := range map[int]string{
		60: "round 2 · 3 turns · 1200 of 20000 tokens · 12s",
		40: "round 2 · 1200 of 20000 tokens · 12s",
	} {
		if got := s.line(s.began.Add(12*time.Second), "", "", width); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func TestAStatusFitsItsLineAndHasNothingThatATerminalActsOn(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("abc \x1b\n\r\u202e\u009b漢é👍🏽")))
	rapid.Check(t, func(rt *rapid.T) {
		s := status{round: rapid.IntRange(0, 1000).Draw(rt, "round"), leader: text.Draw(rt, "leader")}
		width := rapid.IntRange(20, 120).Draw(rt, "width")
		says := text.Draw(rt, "says")
		got := s.line(s.began.Add(time.Hour), text.Draw(rt, "agent"), says, width)
		if n := displaywidth.String(got); n >= width || strings.ContainsAny(got, "\x1b\n\r\u202e\u009b") {
			rt.Errorf("%q has %d of %d columns", got, n, width)
		}
	})
	s := status{}
	if got := s.line(time.Time{}, "critic", strings.Repeat("x", 100)+" the end", 60); !strings.HasSuffix(got, "the end") {
		t.Errorf("the end of what is said is not in %q", got)
	}
}

// The line is never there while something else is printed, and counts the turns that run.
func TestTheLineMakesRoomForEvents(t *testing.T) {
	var w strings.Builder
	l := liveOn(&w, 80)
	hook := l.watching(nil)
	l.shown(solves.RoundStarted{Round: 1, Turns: []string{"a", "b"}})
	_, endA := hook.Start(context.Background(), hooks.Op{Name: hooks.OpTurn})
	_, _ = hook.Start(context.Background(), hooks.Op{Name: hooks.OpTurn})
	endA(nil, nil)
	if last := w.String()[strings.LastIndex(w.String(), "\r"):]; !strings.HasPrefix(last, "\r\x1b[Kround 1 · 1 turn · ") {
		t.Errorf("the line is %q", last)
	}
	l.clear()
	if !strings.HasSuffix(w.String(), "\r\x1b[K") {
		t.Errorf("the line is still there: %q", w.String())
	}
	n := w.Len()
	l.says(solves.Saying{Agent: "b", Words: "more"})
	if w.Len() != n {
		t.Errorf("%q is drawn over an event", w.String()[n:])
	}
	_, endB := hook.Start(context.Background(), hooks.Op{Name: hooks.OpTurn, Target: "b"})
	l.shown(solves.Weighed{Decision: consensus.Decision{Leaders: []string{"x"}, Support: 1}})
	if got := w.String()[n:]; !strings.Contains(got, "x leads with 1.00") || !strings.HasSuffix(got, "b: more") {
		t.Errorf("the line is %q", got)
	}
	n = w.Len()
	endB(nil, nil)
	if got := w.String()[n:]; strings.Contains(got, "more") {
		t.Errorf("after the turn of b the line is %q", got)
	}
	n = w.Len()
	l.shown(solves.Stopped{})
	if w.Len() != n {
		t.Errorf("after the end there is %q", w.String()[n:])
	}
}

func TestWhereThereIsNoTerminalThereIsNoStatus(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it is empty
	l := newLive(f)
	stop := l.run(nil)
	l.shown(solves.RoundStarted{Round: 1})
	l.says(solves.Saying{Agent: "a", Words: "more"})
	stop()
	if info, err := f.Stat(); err != nil || info.Size() > 0 || l.watching(nil) != nil {
		t.Errorf("%d bytes (%v)", info.Size(), err)
	}
}
