package host

import (
	"context"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
)

// roster is the agents of all teams and rooms.
type roster struct{ h *Host }

// Agents implements [api.Agents].
func (r roster) Agents(context.Context) ([]api.Agent, error) {
	all := []api.Agent{}
	for _, d := range r.h.desks {
		all = append(all, r.team(d)...)
	}
	if r.h.office != nil {
		for _, s := range r.h.office.agents {
			a := agentOf(r.h.office.Name, s.Agent)
			a.Team, a.Rooms = "", append([]string{}, s.Rooms...)
			all = append(all, a)
		}
	}
	return all, nil
}

func agentOf(team string, a *agents.Agent) api.Agent {
	of := api.Agent{
		ID: team + "/" + a.ID, Name: a.ID, Team: team, Rooms: []string{}, Role: a.Role, Group: a.Group, Weight: a.VoteWeight(),
		Listens: texts(a.Listens), CanEmit: texts(a.CanEmit), Tools: []api.Permission{}, Reliability: api.Reliability{High: 1},
	}
	if a.Router != nil {
		of.State = string(a.Router.Initial())
		of.Routes = len(a.Router.Explain(a.Router.Initial(), nothing).Routes)
	}
	return of
}

func texts(all []signals.Kind) (of []string) {
	for _, k := range all {
		of = append(of, string(k))
	}
	return of
}

// team returns the agents of a team, with what is known of them.
func (r roster) team(d *desk) (all []api.Agent) {
	records := map[string]view.Record{}
	for agent, record := range d.log.book().Voters() {
		records[agent] = record
	}
	for _, a := range d.Options.Agents {
		of := agentOf(d.Name, a)
		record := records[a.ID]
		of.Solves, of.Votes = record.Solves, record.Votes
		of.Reliability = reliabilityOf(d, a.ID, record)
		of.Cost, of.Last = d.log.book().Agent(a.ID)
		if d.File != nil {
			for _, spec := range d.File.Agents {
				if spec.ID != a.ID {
					continue
				}
				of.Model = spec.Model
				for tool, policy := range spec.Tools {
					of.Tools = append(of.Tools, api.Permission{Tool: tool, Policy: string(policy)})
				}
			}
		}
		all = append(all, of)
	}
	return all
}

func reliabilityOf(d *desk, agent string, record view.Record) api.Reliability {
	of := api.Reliability{Right: record.Right, Told: record.Told}
	of.Low, of.High = record.Interval()
	ledger := d.log.book().Ledger()
	if ledger == nil {
		return of
	}
	several, _ := ledger.Models()
	if rate, known := several.Reliability(agent, 2); known {
		of.Known, of.Rate, of.Weight = true, rate.Sensitivity, several.Weights()[agent]
		if first := several.Groups()[agent]; first != agent {
			of.Repeats = first
		}
	}
	return of
}

// nothing is a signal that no route is about.
var nothing = signals.New(signals.Header{}, signals.Raw{})

// Explain implements [api.Agents].
func (r roster) Explain(ctx context.Context, team, agent string, seq uint64) (api.Explanation, error) {
	of := api.Explanation{Agent: team + "/" + agent, Signal: seq, Routes: []api.ExplainedRoute{}}
	a, err := r.find(team, agent)
	if err != nil || a.Router == nil {
		return of, err
	}
	about := signals.Any(nothing)
	if seq > 0 {
		run := team
		if d := r.h.team(team); d != nil {
			run = d.Run
		}
		if about, err = r.signal(ctx, run, seq); err != nil {
			return of, err
		}
	}
	e := a.Router.Explain(a.Router.Initial(), about)
	of.State, of.Action, of.Error, of.Tier, of.Route = string(e.State), e.Action.String(), e.Error, tierOf(e.Decision.Tier), e.Decision.Route
	for _, c := range e.Routes {
		of.Routes = append(of.Routes, api.ExplainedRoute{Tier: tierOf(c.Tier), Name: c.Name, Action: c.Action.String(), Verdict: c.Why})
	}
	return of, nil
}

func tierOf(t routing.Tier) string {
	if t == 0 {
		return ""
	}
	return t.String()
}

func (r roster) find(team, agent string) (*agents.Agent, error) {
	if d := r.h.team(team); d != nil {
		for _, a := range d.Options.Agents {
			if a.ID == agent {
				return a, nil
			}
		}
	}
	if o := r.h.office; o != nil && o.Name == team {
		if a := o.standing(agent); a != nil {
			return a, nil
		}
	}
	return nil, notFound("agent", team+"/"+agent)
}

// signal returns a signal of a run.
func (r roster) signal(ctx context.Context, run string, seq uint64) (signals.Any, error) {
	page, err := running(r).Signals(ctx, api.SignalsQuery{Run: run, After: seq - 1, Limit: 1})
	if err != nil {
		return nil, err
	}
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	for _, text := range page.Signals {
		s, err := codec.Unmarshal(text)
		if err == nil && s.Head().Seq == seq {
			return s, nil
		}
	}
	return nil, notFound("signal", run)
}
