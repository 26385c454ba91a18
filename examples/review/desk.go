package main

import (
	"slices"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
)

// A desk is the package under review as everybody can look it up: what a
// signal claims is believed only if the code shows it. It does not change.
type desk struct {
	p        *inspect.Package
	tracks   map[string]inspect.Track
	findings []inspect.Finding
}

func newDesk(p *inspect.Package, tracks map[string]inspect.Track) *desk {
	return &desk{p, tracks, inspect.All(p)}
}

// finding returns the one that a signal says.
func (d *desk) finding(said string) (inspect.Finding, bool) {
	i := slices.IndexFunc(d.findings, func(f inspect.Finding) bool { return f.String() == said })
	if i < 0 {
		return inspect.Finding{}, false
	}
	return d.findings[i], true
}

// claims are the findings among signals, with the arguments about them, as far
// as the code bears them out, in log order.
func (d *desk) claims(log []signals.Any) []inspect.Claim {
	var claims []inspect.Claim
	index := map[signals.ID]int{}
	for _, s := range log {
		said, target := words(s)
		if f, ok := d.finding(said); ok {
			index[s.Head().ID] = len(claims)
			claims = append(claims, inspect.Claim{Finding: f})
			continue
		}
		i, ok := index[target]
		if !ok {
			continue
		}
		for _, a := range inspect.Debate(d.p, claims[i].Finding) {
			if a.String() == said {
				claims[i].Arguments = append(claims[i].Arguments, a)
			}
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
