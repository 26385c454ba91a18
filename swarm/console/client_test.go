package console_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/client"
)

func TestAClientHasWhatTheServerHas(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	d := s.solve(orders)
	c, err := client.New(s.base, s.token)
	if err != nil {
		t.Fatal(err)
	}
	type journals = api.Runs // has a method of that name
	type backend interface {
		api.Solves
		api.Inbox
		journals
	}
	own := s.host.Backend()
	here := struct {
		api.Solves
		api.Inbox
		journals
	}{own.Solves, own.Inbox, own.Runs}
	for what, of := range map[string]func(ctx context.Context, b backend) (any, error){
		"teams": func(ctx context.Context, b backend) (any, error) { return b.Teams(ctx) },
		"solve": func(ctx context.Context, b backend) (any, error) { return b.Get(ctx, d.ID, 3) },
		"solves": func(ctx context.Context, b backend) (any, error) {
			return b.List(ctx, api.SolvesQuery{Run: d.Run, Limit: 5})
		},
		"no solve": func(ctx context.Context, b backend) (any, error) {
			return b.List(ctx, api.SolvesQuery{Text: "no such text", Limit: 5})
		},
		"what if": func(ctx context.Context, b backend) (any, error) {
			return b.WhatIf(ctx, d.ID, d.Seq, []float64{0.25, 0.5})
		},
		"conflicts": func(ctx context.Context, b backend) (any, error) {
			return b.Conflicts(ctx, api.ConflictsQuery{Solve: d.ID, Limit: 5})
		},
		"items": func(ctx context.Context, b backend) (any, error) { return b.Items(ctx, true) },
		"run":   func(ctx context.Context, b backend) (any, error) { return b.Run(ctx, d.Run) },
		"runs":  func(ctx context.Context, b backend) (any, error) { return b.Runs(ctx) },
		"verify": func(ctx context.Context, b backend) (any, error) {
			v, err := b.Verify(ctx, d.Run, true)
			v.Millis = 0
			return v, err
		},
		"replay": func(ctx context.Context, b backend) (any, error) {
			r, err := b.Replay(ctx, d.Run)
			r.Millis = 0
			return r, err
		},
		"compare": func(ctx context.Context, b backend) (any, error) {
			return b.Compare(ctx, d.ID, d.ID)
		},
		"signals": func(ctx context.Context, b backend) (any, error) {
			q := api.SignalsQuery{Run: d.Run, Thread: []string{d.Thread, "other"}, Kind: []string{"vote", "proposal"}, Since: d.Began, Until: time.Now(), After: 2, MinConfidence: 0.5, Limit: 4}
			return b.Signals(ctx, q)
		},
	} {
		got, err := of(t.Context(), c)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		want, err := of(t.Context(), here)
		if err != nil {
			t.Errorf("%s at the server: %v", what, err)
		}
		if got, want := asJSON(t, got), asJSON(t, want); got != want {
			t.Errorf("%s: the client has\n%s\nthe server has\n%s", what, got, want)
		}
	}
	for what, refused := range map[string]func(b backend) error{
		"cancel": func(b backend) error { _, err := b.Cancel(t.Context(), d.ID); return err },
		"resume": func(b backend) error { _, err := b.Resume(t.Context(), d.ID); return err },
		"item":   func(b backend) error { _, err := b.Item(t.Context(), d.ID+".none"); return err },
	} {
		got, want := (*api.Error)(nil), (*api.Error)(nil)
		if !errors.As(refused(c), &got) || !errors.As(refused(here), &want) || got.Status != want.Status || got.Status < http.StatusBadRequest || got.Detail != want.Detail {
			t.Errorf("%s: the client has %v, the server %v", what, got, want)
		}
	}
}

func TestAClientGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	c, err := client.New(s.base, s.token)
	if err != nil {
		t.Fatal(err)
	}
	one, err := c.Start(t.Context(), api.NewSolve{Team: "platform", Task: orders})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seqs, ended := make(chan uint64, 1000), make(chan error, 1)
	go func() {
		defer close(seqs)
		for r, err := range c.Log(ctx, one.Run).Follow(ctx, 0) {
			if err != nil {
				ended <- err
				return
			}
			seqs <- r.Seq
		}
	}()
	read := []uint64{<-seqs, <-seqs, <-seqs}
	s.stop()
	again := startAt(t, dir, strings.TrimPrefix(s.base, "http://"))
	d := again.until(one.ID, func(d api.SolveDetail) bool { return d.State == api.Decided })
	for last := d.Said[len(d.Said)-1].Seq; read[len(read)-1] < last; {
		seq, ok := <-seqs
		if !ok {
			t.Fatal(<-ended)
		}
		read = append(read, seq)
	}
	page, err := c.Signals(t.Context(), api.SignalsQuery{Run: one.Run, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if len(read) > len(page.Signals) || !slices.IsSorted(read) || len(slices.Compact(slices.Clone(read))) != len(read) {
		t.Errorf("read %v of a log of %d signals, want each once", read, len(page.Signals))
	}
	if got, err := c.Get(t.Context(), one.ID, 0); err != nil || got.State != api.Decided {
		t.Errorf("got %v and %v, want the solve decided", got.State, err)
	}
}
