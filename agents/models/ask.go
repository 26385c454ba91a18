package models

import (
	"context"
	"log/slog"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
)

// Ask calls a model and reports the call: a hook that ctx carries sees an
// [hooks.OpModel], and its cost is counted for the turn that ctx belongs to
// ([agents.Spend]). A [Fallback] reports those of the models that it asks. An answer beyond the bounds is an error. Agents should call Ask rather than the model's method.
func Ask(ctx context.Context, m Model, r *Request) (a *Answer, err error) {
	if f, ok := m.(fallback); ok {
		return f.ask(ctx, r, Ask)
	}
	id, began := m.ID(), time.Now()
	op := hooks.Op{Name: hooks.OpModel, Target: id.Name, Attributes: append(wanted(r), slog.String(hooks.AttrProvider, id.Provider))}
	if t := agents.TurnOf(ctx); t != nil {
		op.Thread, op.Round = t.Thread, t.Round
	}
	ctx, end := hooks.Start(ctx, op)
	var about any
	err = agents.ErrNoReturn // unless the model returns
	spent := agents.Cost{Calls: 1}
	defer func() {
		spent.Time = time.Since(began)
		agents.Spend(ctx, spent)
		end(about, err)
	}()
	if a, err = m.Ask(ctx, r); err != nil {
		return nil, err
	}
	spent.InputTokens, spent.CachedTokens, spent.OutputTokens = a.Usage.Input, a.Usage.CacheRead, a.Usage.Output
	spent.Dollars = a.Cost.Dollars()
	if err = a.Validate(id); err != nil {
		return nil, err
	}
	about = []slog.Attr{
		slog.String(hooks.AttrModel, a.Model), slog.String(hooks.AttrFinish, string(a.Finish)),
		slog.Int(hooks.AttrInputTokens, a.Usage.Input), slog.Int(hooks.AttrOutputTokens, a.Usage.Output),
		slog.Int(hooks.AttrCachedRead, a.Usage.CacheRead),
		slog.Float64(hooks.AttrCost, spent.Dollars),
	}
	return a, nil
}

// wanted returns what a request says of its answer.
func wanted(r *Request) []slog.Attr {
	output := "text"
	if r.Schema != nil {
		output = "json"
	}
	all := []slog.Attr{slog.Int(hooks.AttrMost, r.Most), slog.String(hooks.AttrOutput, output)}
	if r.Temperature != nil {
		all = append(all, slog.Float64(hooks.AttrTemperature, *r.Temperature))
	}
	if r.Seed != nil {
		all = append(all, slog.Int(hooks.AttrSeed, *r.Seed))
	}
	return all
}
