package main

import (
	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// A desk is the package under review as everybody can look it up: what a
// signal claims is believed only if the code shows it. It does not change.
type desk struct {
	p         *inspect.Package
	findings  map[string]inspect.Finding             // by what a discovery says
	arguments map[string]map[string]inspect.Argument // by discovery, by what a reply says
}

func newDesk(p *inspect.Package) *desk {
	d := &desk{p, map[string]inspect.Finding{}, map[string]map[string]inspect.Argument{}}
	for _, f := range inspect.All(p) {
		said := claim(f)
		d.findings[said] = f
		d.arguments[said] = map[string]inspect.Argument{}
		for _, a := range inspect.Debate(p, f) {
			d.arguments[said][a.String()] = a
		}
	}
	return d
}

// claim is what a discovery of f says.
func claim(f inspect.Finding) string { return f.Rule + ": " + f.Message }
