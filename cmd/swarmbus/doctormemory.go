package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// memory writes a fact, reads it, and removes it.
func (d *doctor) memory(ctx context.Context) finding {
	about := d.team.Memory
	return try("memory", string(about.Store), func() (detail string, err error) {
		store, err := open.Store(ctx, about, "")
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		return "a fact was written, read and removed", writeAndRead(ctx, store)
	}, func(err error) string {
		switch v := about.Postgres(); {
		case v != "":
			return fmt.Sprintf("look at %s, at the server, and whether it has pgvector 0.8", v)
		case errors.Is(err, memory.ErrCorrupt):
			return "restore the file from a backup, or move it away: a new one is made"
		}
		return "make the directory, make it writable, or change memory.store in the team"
	})
}

// writeAndRead writes a fact that expired when clocks began, so that nobody recalls it and its
// removal removes nothing else.
func writeAndRead(ctx context.Context, store memory.Store) error {
	const content = "swarmbus doctor was here"
	began := time.Unix(1, 0).UTC()
	f := memory.Fact{ID: memory.IDOf(content), Content: content, Category: "doctor", Said: []memory.Statement{
		{Signal: signals.MustID("doctor-1"), Source: "doctor", Time: began, Expires: began},
	}}
	write := func(map[string]memory.Fact) []memory.Fact { return []memory.Fact{f} }
	if err := store.Change(ctx, []string{f.ID}, write); err != nil {
		return err
	}
	found := false
	read := func(stored map[string]memory.Fact) []memory.Fact {
		found = stored[f.ID].Content == content
		return nil
	}
	if err := store.Change(ctx, []string{f.ID}, read); err != nil {
		return err
	}
	if n, err := store.Sweep(ctx, began.Add(time.Second)); err != nil || n == 0 || !found {
		return errors.Join(err, fmt.Errorf("the fact was written; read back: %v, removed: %v", found, n > 0))
	}
	return nil
}

// embeds has a model make a vector.
func embeds(ctx context.Context, about teams.Model) (string, error) {
	e, err := providers.Embedder(about)
	if err != nil {
		return "", err
	}
	v, err := models.Embed(ctx, e, "ok")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s makes vectors of %d numbers", about.ID(), len(v.All[0])), nil
}
