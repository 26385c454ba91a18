package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// remembering is the knowledge of teams.
type remembering struct{ h *Host }

// Search implements [api.Memory].
func (r remembering) Search(ctx context.Context, q api.MemoryQuery) ([]api.Fact, error) {
	all := []api.Fact{}
	if d := r.h.team(q.Team); q.Team != "" && (d == nil || d.Memory() == nil) {
		return nil, notFound("team with a memory", q.Team)
	}
	for _, d := range r.h.desks {
		if d.Memory() == nil || q.Team != "" && q.Team != d.Name {
			continue
		}
		found, err := d.Memory().Recall(ctx, memory.Query{
			Text: q.Text, Categories: q.Categories, Quarantined: q.Quarantined, Most: q.Limit, Bytes: 1 << 20,
		})
		if err != nil {
			return nil, err
		}
		for i := range found {
			all = append(all, factOf(d.Name, &found[i]))
		}
	}
	slices.SortStableFunc(all, func(a, b api.Fact) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return all[:min(len(all), q.Limit)], nil
}

func factOf(team string, f *memory.Found) api.Fact {
	of := api.Fact{
		ID: f.ID, Team: team, Content: f.Content, Category: f.Category, State: f.State().String(), Importance: f.Importance(),
		Score: f.Score, Time: f.Time(), Said: []api.Statement{},
	}
	for _, s := range f.Said {
		of.Said = append(of.Said, api.Statement{Source: s.Source, Group: s.Group, Thread: s.Thread, Time: s.Time})
	}
	return of
}

// Revoke implements [api.Memory].
func (r remembering) Revoke(ctx context.Context, v api.Revocation) (api.Revoked, error) {
	of := api.Revoked{Facts: []string{}}
	d := r.h.team(v.Team)
	if d == nil || d.Memory() == nil {
		return of, notFound("team with a memory", v.Team)
	}
	done, err := d.Memory().Revoke(ctx, v.Source)
	if err != nil {
		return of, refused(err)
	}
	for i := range done.Fell {
		of.Facts = append(of.Facts, done.Fell[i].ID)
	}
	of.Note = fmt.Sprintf("facts that fell: %d; facts that are quarantined now: %d", len(done.Fell), len(done.Weakened))
	return of, nil
}
