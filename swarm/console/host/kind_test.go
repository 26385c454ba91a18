package host_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// auto makes the team of the demo one that chooses its mode, whose answers can be checked.
func auto(team *host.Team) {
	open := team.Open
	team.Open = func(ctx context.Context, k desk.Keep) (*desk.Crew, error) {
		crew, err := open(ctx, k)
		build := crew.Build
		crew.Build = func(k desk.Keep, show desk.Show) (swarm.Options, error) {
			o, err := build(k, show)
			o.Mode, o.Strategy = mode.Auto, nil
			o.Traits = func(context.Context, signals.Task) mode.Traits {
				return mode.Traits{Checkable: true, Because: "the team says so"}
			}
			return o, err
		}
		return crew, err
	}
}

// Whoever gives a team a task may say of what kind it is, as the flags of solve do, in the terms
// by which the mode auto is chosen.
func TestATaskSaysItsKindToATeamThatChoosesItsMode(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), auto)
	b := h.Backend()
	yes, no := true, false
	for name, c := range map[string]struct {
		factsDiffer, checkable *bool
		want                   string
	}{
		"nothing":               {nil, nil, "check: answers can be checked: the team says so"},
		"facts differ":          {&yes, nil, "facts-first: facts differ: it was said with the task"},
		"it can be checked":     {nil, &yes, "check: answers can be checked: it was said with the task"},
		"it cannot be checked":  {nil, &no, "vote: nothing is known that speaks for another mode"},
		"facts do not differ":   {&no, nil, "check: answers can be checked: the team says so"},
		"neither":               {&no, &no, "vote: nothing is known that speaks for another mode"},
		"facts differ, no more": {&yes, &no, "facts-first: facts differ: it was said with the task"},
	} {
		one, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: name, FactsDiffer: c.factsDiffer, Checkable: c.checkable})
		if err != nil {
			t.Fatal(err)
		}
		until(t, b, one.ID, func(s api.Solve) bool { return s.State != api.Running })
		got, err := b.Solves.Get(t.Context(), one.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		var planned string
		for _, s := range got.Said {
			if s.Kind == "mode:planned" {
				planned = s.Text
			}
		}
		if !strings.Contains(planned, c.want) {
			t.Errorf("%s: planned %q, want %q", name, planned, c.want)
		}
	}
}

func TestATaskSaysNoKindWhereOtherProcessesMayDriveIt(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	defer hub.Close()
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: hub, Elsewhere: []host.Elsewhere{afar{
		Log: new(journal.Memory),
		Solve: func(context.Context, signals.Task) iter.Seq2[solves.Event, error] {
			t.Error("it was driven")
			return func(func(solves.Event, error) bool) {}
		},
	}.at("far")}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close(context.Background()) }()
	yes := true
	_, err = h.Backend().Solves.Start(t.Context(), api.NewSolve{Team: "far", Task: "which?", Checkable: &yes})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusUnprocessableEntity || !strings.Contains(err.Error(), "checkable") {
		t.Errorf("got %v", err)
	}
}
