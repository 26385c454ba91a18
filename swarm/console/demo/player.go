package demo

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

func refuses(answer string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(answer)), " ")
	return slices.Contains([]string{"no", "no,", "no.", "nein", "denied", "never", "not"}, first)
}

// Play gives the team of the demo a task every few seconds, and posts messages in its rooms,
// until ctx ends. At most one question waits for the visitor.
func Play(ctx context.Context, b *api.Backend, team string, every time.Duration) error {
	next := time.NewTimer(0)
	defer next.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-next.C:
		}
		next.Reset(max(every, 50*time.Millisecond))
		if err := begin(ctx, b, team, scenes[i%len(scenes)]); err != nil {
			return err
		}
		if err := tell(ctx, b, team); err != nil {
			return err
		}
		if i < len(messages) {
			m := messages[i]
			if _, err := b.Rooms.Say(ctx, m.room, api.NewMessage{Content: m.text, Priority: api.Priority(m.priority)}); err != nil {
				return err
			}
		}
	}
}

// begin begins a scene, unless it waits for a person or runs already.
func begin(ctx context.Context, b *api.Backend, team string, s scene) error {
	all, err := b.Solves.List(ctx, api.SolvesQuery{Team: team, Limit: 1000})
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Task == s.task && (one.State == api.Waiting || one.State == api.Running) {
			return nil
		}
	}
	_, err = b.Solves.Start(ctx, api.NewSolve{Team: team, Task: s.task, Context: s.context})
	return err
}

// tell reports the outcome of each solve once.
func tell(ctx context.Context, b *api.Backend, team string) error {
	all, err := b.Solves.List(ctx, api.SolvesQuery{Team: team, State: api.Decided, Limit: 20})
	if err != nil {
		return err
	}
	for _, one := range all {
		i := slices.IndexFunc(scenes, func(s scene) bool { return s.task == one.Task })
		if i < 0 || scenes[i].right == "" {
			continue
		}
		detail, err := b.Solves.Get(ctx, one.ID, 0)
		if err != nil {
			return err
		}
		told := slices.ContainsFunc(detail.Said, func(w api.Said) bool { return w.Form == "outcome" })
		proposed := slices.ContainsFunc(detail.Proposals, func(p api.Proposal) bool { return p.ID == scenes[i].right })
		if told || !proposed { // it may have decided before an agent proposed that
			continue
		}
		if _, err := b.Solves.Tell(ctx, one.ID, api.Outcome{Right: scenes[i].right}); err != nil {
			return err
		}
	}
	return nil
}
