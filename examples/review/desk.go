package main

import (
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
)

// A desk is the package under review as everybody can look it up: what a
// signal claims is believed only if the code shows it. It does not change.
type desk struct {
	p         *inspect.Package
	tracks    map[string]inspect.Track
	found     map[string][]inspect.Finding           // by inspector
	findings  map[string]inspect.Finding             // by what a discovery says
	arguments map[string]map[string]inspect.Argument // by finding, by what a reply says
}

func newDesk(p *inspect.Package, tracks map[string]inspect.Track) *desk {
	d := &desk{p, tracks, map[string][]inspect.Finding{}, map[string]inspect.Finding{}, map[string]map[string]inspect.Argument{}}
	for _, f := range inspect.All(p) {
		said := f.String()
		d.found[f.Inspector] = append(d.found[f.Inspector], f)
		d.findings[said] = f
		d.arguments[said] = map[string]inspect.Argument{}
		for _, a := range inspect.Debate(p, f) {
			d.arguments[said][a.String()] = a
		}
	}
	return d
}

// claims are the findings among signals, with the arguments about them, as far
// as the code bears them out, in log order.
func (d *desk) claims(log []signals.Any) []inspect.Claim {
	var claims []inspect.Claim
	index := map[signals.ID]int{}
	for _, s := range log {
		said, target := words(s)
		if f, ok := d.findings[said]; ok {
			index[s.Head().ID] = len(claims)
			claims = append(claims, inspect.Claim{Finding: f})
			continue
		}
		i, ok := index[target]
		if !ok {
			continue
		}
		c := &claims[i]
		if a, ok := d.arguments[c.Finding.String()][said]; ok {
			c.Arguments = append(c.Arguments, a)
		}
	}
	return claims
}

// words are what a signal says, and about which other.
func words(s signals.Any) (said string, target signals.ID) {
	switch s := s.(type) {
	case *signals.Signal[signals.Discovery]:
		return s.Payload.Finding, s.ReplyTo
	case *signals.Signal[signals.Challenge]:
		return s.Payload.CounterArgument, s.Payload.TargetSignalID
	}
	return "", signals.ID{}
}
