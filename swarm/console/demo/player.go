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
	for i, at := 0, 0; ; i++ { // at: the next scene
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-next.C:
		}
		next.Reset(max(every, 50*time.Millisecond))
		over, err := begin(ctx, b, team, scenes[at])
		if err != nil {
			return err
		}
		if over {
			at = (at + 1) % len(scenes)
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

// begin begins a scene, unless it waits for a person, and reports whether the next scene can follow: while a solve
// runs, none begins, so that the journal, which drops solves when none runs, stays within its bound.
func begin(ctx context.Context, b *api.Backend, team string, s scene) (over bool, err error) {
	all, err := b.Solves.List(ctx, api.SolvesQuery{Team: team, Limit: 1000})
	if err != nil || slices.ContainsFunc(all, func(one api.Solve) bool { return one.State == api.Running }) {
		return false, err
	}
	if slices.ContainsFunc(all, func(one api.Solve) bool { return one.Task == s.task && one.State == api.Waiting }) {
		return true, nil
	}
	_, err = b.Solves.Start(ctx, api.NewSolve{Team: team, Task: s.task, Context: s.context})
	return true, err
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
