package host_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a host with the team of the demo, and closes it when the test ends.
func open(t *testing.T, dir string, change func(*host.Team)) (*host.Host, *feed.Hub) {
	t.Helper()
	team := demo.Team(0)
	if change != nil {
		change(&team)
	}
	hub := feed.New(feed.Options{})
	h, err := host.Open(t.Context(), host.Options{Dir: dir, Teams: []host.Team{team}, Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hub.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	hubs.Store(h.Backend().Solves, hub)
	return h, hub
}

// hubs are those of the solves of hosts.
var hubs sync.Map

// solve starts a solve and waits until it stops.
func solve(t *testing.T, b *api.Backend, task string) api.Solve {
	t.Helper()
	one, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: task})
	if err != nil {
		t.Fatal(err)
	}
	return until(t, b, one.ID, func(s api.Solve) bool { return s.State != api.Running })
}

// until returns a solve as soon as a condition holds, which it looks at after each frame.
func until(t *testing.T, b *api.Backend, id string, holds func(api.Solve) bool) api.Solve {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &bell{ResponseRecorder: httptest.NewRecorder(), rung: make(chan struct{}, 1)}
	hub, _ := hubs.Load(b.Solves)
	var followed sync.WaitGroup
	followed.Go(func() {
		user := func(*http.Request) string { return t.Name() }
		hub.(*feed.Hub).Events(user).ServeHTTP(f, httptest.NewRequestWithContext(ctx, http.MethodGet, "/?solve="+id, nil))
		close(f.rung)
	})
	defer followed.Wait()
	defer cancel()
	for range f.rung {
		one, err := b.Solves.Get(t.Context(), id, 1<<62)
		if err != nil {
			t.Fatal(err)
		}
		if holds(one.Solve) {
			return one.Solve
		}
	}
	t.Fatal("the feed ended before it came to that")
	return api.Solve{}
}

// A bell rings for the frames that are written to it.
type bell struct {
	*httptest.ResponseRecorder
	rung chan struct{}
}

func (b *bell) Write(text []byte) (int, error) {
	select {
	case b.rung <- struct{}{}:
	default: // the last ring has not been received
	}
	return len(text), nil
}

func (b *bell) SetWriteDeadline(time.Time) error { return nil }

const (
	payments = "How often do we retry a payment that timed out?"
	failover = "Do we fail over to the second region on Friday?"
)

func TestACallOfAToolWaitsForAVerdict(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[string]string{"once": "failover", "solve": "failover", "deny": "wait"} {
		t.Run(verdict, func(t *testing.T) {
			t.Parallel()
			h, _ := open(t, t.TempDir(), nil)
			b := h.Backend()
			if one := solve(t, b, failover); one.State != api.Waiting || one.Stop != "asked" || one.Waits != 1 {
				t.Fatalf("the solve is %s: %s", one.State, one.Detail)
			}
			items, err := b.Inbox.Items(t.Context(), false)
			if err != nil || len(items) != 1 || items[0].Type != "tool" || items[0].Tool.Tool != "rehearse" || items[0].Tool.Agent != "verifier" {
				t.Fatalf("the inbox has %+v (%v)", items, err)
			}
			if _, err := b.Inbox.Answer(t.Context(), items[0].ID, api.Answer{Text: "yes"}); status(err) != http.StatusUnprocessableEntity {
				t.Errorf("a text as verdict: %v", err)
			}
			if _, err := b.Inbox.Decide(t.Context(), items[0].ID, api.Verdict{Verdict: verdict, Reason: "others use staging"}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Inbox.Decide(t.Context(), items[0].ID, api.Verdict{Verdict: "deny", Reason: "no"}); status(err) != http.StatusConflict {
				t.Errorf("a second verdict: %v", err)
			}
			one := until(t, b, items[0].Solve, func(s api.Solve) bool { return s.State != api.Running && s.State != api.Waiting })
			if one.Leader == nil || one.Leader.Proposal != want {
				t.Errorf("after %s: %s, %+v: %s", verdict, one.State, one.Leader, one.Detail)
			}
		})
	}
}

func status(err error) int {
	if e := (*api.Error)(nil); errors.As(err, &e) {
		return e.Status
	}
	return 0
}

func TestOldSolvesAreDropped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const most = 256 << 10
	h, hub := open(t, dir, func(team *host.Team) { team.Retain = journal.Retention{Bytes: most} })
	b := h.Backend()
	first := solve(t, b, payments)
	var last api.Solve
	for n := 1; ; n++ {
		last = solve(t, b, payments)
		all, err := b.Solves.List(t.Context(), api.SolvesQuery{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < n {
			break
		}
		if n > 1000 {
			t.Fatal("nothing was dropped")
		}
	}
	if _, err := b.Solves.Get(t.Context(), first.ID, 0); status(err) != http.StatusNotFound {
		t.Errorf("the first solve: %v", err)
	}
	detail, err := b.Solves.Get(t.Context(), last.ID, 0)
	if err != nil || detail.Answer == "" || len(detail.Said) != detail.Signals {
		t.Errorf("the last solve: %+v (%v)", detail, err)
	}
	last = until(t, b, last.ID, func(s api.Solve) bool { return hub.Cursor()["platform"] >= s.Seq })
	if got := hub.Cursor()["platform"]; got != last.Seq {
		t.Errorf("the feed is at %d, want %d", got, last.Seq)
	}
}

func TestACancelledSolveStaysSoAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	slow := func(team *host.Team) { *team = demo.Team(time.Hour) }
	h, _ := open(t, dir, slow)
	b := h.Backend()
	var all []string
	for range 2 {
		one, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: payments})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one.ID)
	}
	if one, err := b.Solves.Cancel(t.Context(), all[0]); err != nil || one.State != api.Interrupted {
		t.Fatalf("it is %+v (%v)", one, err)
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, _ := open(t, dir, nil)
	b = again.Backend()
	if one := until(t, b, all[1], func(s api.Solve) bool { return s.State != api.Running }); one.State != api.Decided {
		t.Errorf("the solve that the server stopped is %s: %s", one.State, one.Detail)
	}
	if one, err := b.Solves.Get(t.Context(), all[0], 0); err != nil || one.State != api.Interrupted {
		t.Errorf("the cancelled solve is %s (%v)", one.State, err)
	}
	if _, err := b.Solves.Resume(t.Context(), all[0]); err != nil {
		t.Fatal(err)
	}
	if one := until(t, b, all[0], func(s api.Solve) bool { return s.State != api.Running }); one.State != api.Decided {
		t.Errorf("the resumed solve is %s: %s", one.State, one.Detail)
	}
}

func TestTwoServersDoNotShareADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open(t, dir, nil)
	_, err := host.Open(t.Context(), host.Options{Dir: dir, Teams: []host.Team{demo.Team(0)}, Hub: feed.New(feed.Options{})})
	if locked := (*journal.LockError)(nil); !errors.As(err, &locked) || locked.Path != filepath.Join(dir, "platform.journal") {
		t.Errorf("got %v", err)
	}
}

func TestAListOfRunsReadsNoJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, _ := open(t, dir, nil)
	solve(t, h.Backend(), payments)
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "platform.journal"), filepath.Join(dir, "old.journal")); err != nil {
		t.Fatal(err)
	}
	again, _ := open(t, dir, nil)
	b := again.Backend()
	listed := func() api.Run {
		all, err := b.Runs.Runs(t.Context())
		if err != nil || len(all) != 2 || all[0].Name != "old" || all[0].Type != "solves" || all[0].Problem != "" {
			t.Fatalf("got %+v (%v)", all, err)
		}
		return all[0]
	}
	if one := listed(); one.Solves != nil {
		t.Errorf("the journal was read: it has %d solves", *one.Solves)
	}
	if one, err := b.Runs.Run(t.Context(), "old"); err != nil || one.Solves == nil || *one.Solves != 1 || *one.Signals == 0 {
		t.Errorf("got %+v (%v)", one, err)
	}
	if one := listed(); one.Solves == nil || *one.Solves != 1 {
		t.Errorf("what was read is not listed: %+v", one)
	}
}

// A solve that stopped while it was read was once taken for one that was cut off.
func TestASolveThatStopsIsNeverInterrupted(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), nil)
	b := h.Backend()
	for range 20 {
		one, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: payments})
		for err == nil && one.State == api.Running {
			var d api.SolveDetail
			d, err = b.Solves.Get(t.Context(), one.ID, 1<<62)
			one = d.Solve
		}
		if err != nil || one.State != api.Decided {
			t.Fatalf("it is %s: %s (%v)", one.State, one.Detail, err)
		}
	}
}

// A team whose swarm cannot be made is an error of Wait and of its solves, and the others
// work.
func TestATeamThatCannotWorkReportsTheReason(t *testing.T) {
	hub := feed.New(feed.Options{})
	t.Cleanup(hub.Close)
	broken := host.Team{Team: desk.Team{Name: "broken", Open: desk.Made(swarm.Options{Threshold: 2})}}
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: hub, Teams: []host.Team{broken, demo.Team(0)}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	const want = "team broken"
	if err := h.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Wait returned %v", err)
	}
	b := h.Backend()
	hubs.Store(b.Solves, hub)
	if _, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "broken", Task: "x"}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Start returned %v", err)
	}
	health, err := b.System.Health(t.Context())
	if err != nil || health.OK || !strings.Contains(health.Logs[0].Problem, want) {
		t.Errorf("Health returned %+v, %v", health.Logs, err)
	}
	if one := solve(t, b, demo.Tasks()[0]); one.Team != "platform" {
		t.Errorf("the other team's solve is %+v", one)
	}
}
