package host_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// asks starts a solve that waits for a verdict, and returns its item.
func asks(t *testing.T, b *api.Backend) api.Item {
	t.Helper()
	solve(t, b, failover)
	items, err := b.Inbox.Items(t.Context(), false)
	if err != nil || len(items) != 1 || items[0].Type != "tool" {
		t.Fatalf("the inbox has %+v (%v)", items, err)
	}
	return items[0]
}

// happened waits for the end of a solve of asks, and returns the verdict with which it continued.
func happened(t *testing.T, b *api.Backend, id string) string {
	t.Helper()
	done := until(t, b, id, func(s api.Solve) bool { return s.State != api.Running && s.State != api.Waiting })
	if done.Leader == nil {
		t.Fatalf("the solve is %s: %s", done.State, done.Detail)
	}
	return map[string]string{"failover": "once", "wait": "deny"}[done.Leader.Proposal]
}

// Of concurrent verdicts one is accepted and carried out; the others are refused with an error
// that has it.
func TestOfConcurrentVerdictsTheAcceptedOneIsCarriedOut(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), nil)
	b := h.Backend()
	for range 20 {
		item := asks(t, b)
		var mu sync.Mutex
		var accepted, first []string
		begin := make(chan struct{})
		var wg sync.WaitGroup
		for i := range 8 {
			verdict := []string{"once", "deny"}[i%2]
			wg.Go(func() {
				<-begin
				got, err := b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: verdict, Reason: "others use staging"})
				mu.Lock()
				defer mu.Unlock()
				var refused *api.Error
				switch {
				case err == nil && !got.Open && got.Answer.Verdict == verdict:
					accepted = append(accepted, verdict)
				case errors.As(err, &refused) && refused.Status == http.StatusConflict && refused.Answered != nil:
					first = append(first, refused.Answered.Verdict)
				default:
					t.Errorf("%s: %+v (%v)", verdict, got, err)
				}
			})
		}
		close(begin)
		wg.Wait()
		if len(accepted) != 1 {
			t.Fatalf("accepted %v", accepted)
		}
		if got := happened(t, b, item.Solve); got != accepted[0] {
			t.Fatalf("%s was accepted, and %s happened", accepted[0], got)
		}
		for _, verdict := range first {
			if verdict != accepted[0] {
				t.Errorf("the first one is said to be %s, and was %s", verdict, accepted[0])
			}
		}
	}
}

func TestAnswersInTheNameOfAnAgentAreRefused(t *testing.T) {
	t.Parallel()
	b := withOffice(t, t.TempDir(), demo.Office())
	item := asks(t, b)
	solve(t, b, "How long may we keep the raw access logs?")
	var question api.Item
	all, err := b.Inbox.Items(t.Context(), false)
	if err != nil || len(all) != 2 {
		t.Fatalf("the inbox has %+v (%v)", all, err)
	}
	for _, i := range all {
		if i.Type == "question" {
			question = i
		}
	}
	for _, name := range []string{item.Tool.Agent, " Verifier", "Reed", "reed", "system", "System", "user", "router"} {
		if _, err := b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: "once", By: name}); status(err) != http.StatusUnprocessableEntity {
			t.Errorf("a verdict of %q: %v", name, err)
		}
		if _, err := b.Inbox.Answer(t.Context(), question.ID, api.Answer{Text: "yes", By: name}); status(err) != http.StatusUnprocessableEntity {
			t.Errorf("an answer of %q: %v", name, err)
		}
	}
	if got, err := b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: "once", By: "Ada"}); err != nil || got.Answer.By != "Ada" {
		t.Errorf("got %+v (%v)", got, err)
	}
}

// The server ends after it has recorded a verdict, and before the solve continues.
func TestASolveGoesOnAfterARestartWithAVerdictFromBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, _ := open(t, dir, nil)
	item := asks(t, h.Backend())
	waits := solve(t, h.Backend(), failover)
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	store, err := journal.Open(filepath.Join(dir, item.Run+".journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := solves.Asked(store, waits.Thread)
	if err != nil || len(asked.Open()) != 1 {
		t.Fatal(asked, err)
	}
	if err := solves.Answer(t.Context(), store, waits.Thread, asking.Answer{ID: asked.Open()[0].ID, Verdict: asking.Once, By: "Ada"}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	again, _ := open(t, dir, nil)
	b := again.Backend()
	if err := again.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if one, err := b.Solves.Get(t.Context(), waits.ID, 0); err != nil || one.State == api.Waiting {
		t.Fatalf("the solve is %s: %s (%v)", one.State, one.Detail, err)
	}
	if got := happened(t, b, waits.ID); got != "once" {
		t.Errorf("%s happened", got)
	}
	if one, err := b.Solves.Get(t.Context(), item.Solve, 0); err != nil || one.State != api.Waiting {
		t.Errorf("the solve without a verdict is %s (%v)", one.State, err)
	}
}

func TestTheSecondVerdictGetsTheFirstOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, _ := open(t, dir, nil)
	b := h.Backend()
	item := asks(t, b)
	first, err := b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: "deny", Reason: "not on Friday", By: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	happened(t, b, item.Solve)
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	again, _ := open(t, dir, nil)
	b = again.Backend()
	_, err = b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: "once"})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict || refused.Answered == nil {
		t.Fatalf("the second verdict: %v", err)
	}
	got, err := b.Inbox.Item(t.Context(), item.ID)
	if err != nil {
		t.Fatal(err)
	}
	all, err := b.Inbox.Items(t.Context(), true)
	if err != nil || len(all) != 1 || all[0].ID != item.ID || all[0].Open {
		t.Fatalf("the inbox has %+v (%v)", all, err)
	}
	if open1, err := b.Inbox.Items(t.Context(), false); err != nil || len(open1) != 0 {
		t.Errorf("what is open: %+v (%v)", open1, err)
	}
	for _, a := range []*api.Answered{first.Answer, refused.Answered, got.Answer, all[0].Answer} {
		if a.By != "Ada" || a.Verdict != "deny" || a.Text != "not on Friday" || a.Time.IsZero() || !a.Time.Equal(first.Answer.Time) {
			t.Errorf("the first verdict is said to be %+v", a)
		}
	}
}

func TestADenialWithoutAReasonIsRefusedAndTheCallStillWaits(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), nil)
	b := h.Backend()
	item := asks(t, b)
	for _, reason := range []string{"", " \n"} {
		if _, err := b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: "deny", Reason: reason}); status(err) != http.StatusUnprocessableEntity {
			t.Errorf("reason %q: got %v, want 422", reason, err)
		}
	}
	if again, err := b.Inbox.Item(t.Context(), item.ID); err != nil || !again.Open {
		t.Errorf("got %+v, %v, want that it waits", again, err)
	}
	if _, err := b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: "deny", Reason: "others use staging"}); err != nil {
		t.Error(err)
	}
}

// A solve that waits for a permission names the calls that it waits for, and no others.
func TestASolveNamesTheCallsThatItWaitsFor(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), nil)
	b := h.Backend()
	item := asks(t, b)
	one, err := b.Solves.Get(t.Context(), item.Solve, 0)
	if err != nil || one.State != api.Waiting || len(one.Calls) != 1 || one.Calls[0].ID != item.ID {
		t.Fatalf("%s waits for %+v (%v), want %s", one.State, one.Calls, err, item.ID)
	}
	if other := solve(t, b, payments); len(must(b.Solves.Get(t.Context(), other.ID, 0)).Calls) != 0 {
		t.Error("a solve that asks nothing names calls of another one")
	}
	if _, err := b.Inbox.Decide(t.Context(), item.ID, api.Verdict{Verdict: "once"}); err != nil {
		t.Fatal(err)
	}
	happened(t, b, item.Solve)
	if after := must(b.Solves.Get(t.Context(), item.Solve, 0)); len(after.Calls) != 0 {
		t.Errorf("after the verdict it waits for %+v", after.Calls)
	}
}

func must(d api.SolveDetail, err error) api.SolveDetail {
	if err != nil {
		panic(err)
	}
	return d
}
