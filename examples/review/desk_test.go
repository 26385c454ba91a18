package main

import (
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
)

func TestOneReviewerLeadsToApproval(t *testing.T) {
	all := inspect.Inspectors()
	own := inspect.Claim{Finding: inspect.Finding{Inspector: all[1].Name}}
	blinded := func(inspectors ...inspect.Inspector) *inspect.Package {
		p := &inspect.Package{}
		for _, i := range inspectors {
			p.Gaps = append(p.Gaps, inspect.Gap{Inspector: i.Name, Reason: "a test says so"})
		}
		return p
	}
	for what, c := range map[string]struct {
		p      *inspect.Package
		claims []inspect.Claim
		want   int
	}{
		"everybody looked":               {blinded(), nil, 0},
		"the first could not look":       {blinded(all[0]), nil, 1},
		"and the second found something": {blinded(all[0]), []inspect.Claim{own}, 2},
		"nobody could look":              {blinded(all...), nil, 0},
	} {
		var leaders []string
		for _, i := range all {
			if (reviewer{&desk{p: c.p}, i}).leads(approve, c.claims) {
				leaders = append(leaders, i.Name)
			}
		}
		if want := []string{all[c.want].Name}; !slices.Equal(leaders, want) {
			t.Errorf("%s: %q lead, want %q", what, leaders, want)
		}
	}
}

// TestArgumentsThatTheCodeDoesNotShowAreIgnored says everything that is known
// of a finding, and something that is not.
func TestArgumentsThatTheCodeDoesNotShowAreIgnored(t *testing.T) {
	d := newDesk(load(t, fixture("messy")), tracks())
	said := ""
	var known []inspect.Argument
	for _, f := range d.findings {
		if all := inspect.Debate(d.p, f); len(all) > 0 {
			said, known = f.String(), all
		}
	}
	found := signals.New(signals.Header{ID: signals.MustID("found")}, signals.Discovery{Finding: said})
	log := []signals.Any{found, signals.New(signals.Header{}, signals.Challenge{TargetSignalID: found.ID, CounterArgument: "trust me"})}
	for _, a := range known {
		log = append(log, signals.New(signals.Header{}, signals.Challenge{TargetSignalID: found.ID, CounterArgument: a.String()}))
	}
	claims := d.claims(log)
	if len(claims) != 1 || len(claims[0].Arguments) != len(known) || len(claims[0].Arguments) == 0 {
		t.Fatalf("got %v, want the %d arguments about %q", claims, len(known), said)
	}
	for _, a := range claims[0].Arguments {
		if a.String() == "trust me" || a.Reason == "" {
			t.Errorf("an argument that the code does not show: %v", a)
		}
	}
}
