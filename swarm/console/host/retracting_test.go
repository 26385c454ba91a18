package host_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A position that the log does not have is no position of its end: who asks about it is told which is.
func TestWhatIfRefusesAPositionBehindTheLog(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), nil)
	b := h.Backend()
	first := solve(t, b, payments)
	last := solve(t, b, payments) // behind it in the log
	for _, id := range []string{first.ID, last.ID} {
		got, err := b.Solves.WhatIf(t.Context(), id, last.Seq, nil)
		if err != nil || got.Actual.Choice == "" {
			t.Errorf("at the last position, %d: got %+v, %v", last.Seq, got.Actual, err)
		}
		var refused *api.Error
		_, err = b.Solves.WhatIf(t.Context(), id, last.Seq+1, nil)
		if want := fmt.Sprintf("the last position of the log is %d", last.Seq); !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || !strings.Contains(refused.Detail, want) {
			t.Errorf("behind it: got %v, want 400 and %q", err, want)
		}
	}
}

// A retraction through the server is in the log of the solve once; the decision and its
// time stay on record.
func TestARetractionRevisesADecision(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), nil)
	b := h.Backend()
	one := solve(t, b, payments)
	before, err := b.Solves.Get(t.Context(), one.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for problem, r := range map[string]api.Retraction{
		"no signal 99999":      {Seq: 99999, Reason: "x"},
		"has a reason":         {Seq: before.Votes[0].Seq, Reason: " \n"},
		"not the name":         {Seq: before.Votes[0].Seq, Reason: "x", By: "planner"},
		"cannot be taken back": {Seq: before.Said[0].Seq, Reason: "x"},
	} {
		var refused *api.Error
		if _, err := b.Solves.Retract(t.Context(), one.ID, r); !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity || !strings.Contains(refused.Detail, problem) {
			t.Errorf("%+v: got %v, want 422 with %q", r, err, problem)
		}
	}
	after := before
	for _, v := range before.Votes[1:] {
		if after, err = b.Solves.Retract(t.Context(), one.ID, api.Retraction{Seq: v.Seq, Reason: "a mistake", By: "Ada"}); err != nil {
			t.Fatal(err)
		}
	}
	if after.Revision == nil || !after.Revision.Changed || !after.Revised || after.State != api.Decided || after.Decision.Choice != "three" {
		t.Errorf("got %+v of %+v", after.Revision, after.Solve)
	}
	if after.Ended == nil || !after.Ended.Equal(*before.Ended) || !after.Updated.After(*after.Ended) {
		t.Errorf("ended at %v, updated at %v; before it had ended at %v", after.Ended, after.Updated, before.Ended)
	}
	if _, err := b.Solves.Retract(t.Context(), one.ID, api.Retraction{Seq: before.Votes[1].Seq, Reason: "again"}); err == nil || !strings.Contains(err.Error(), "already taken back by Ada") {
		t.Errorf("taken back again: %v", err)
	}
	check, err := b.Runs.Replay(t.Context(), one.Run)
	if err != nil || !check.Identical {
		t.Errorf("replay: %+v, %v", check, err)
	}
}
