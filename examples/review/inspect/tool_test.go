package inspect_test

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// looking loads a package of testdata with a tool that answers as it is told.
func looking(t *testing.T, dir string, r inspect.Report, err error) (p *inspect.Package, asked int) {
	t.Helper()
	p, problem := inspect.Load(t.Context(), "testdata/"+dir, false, inspect.Tool{
		Name: "staticcheck", Look: func(context.Context, string) (inspect.Report, error) { asked++; return r, err },
	})
	if problem != nil {
		t.Fatal(problem)
	}
	return p, asked
}

func TestToolFindsWhatItSays(t *testing.T) {
	said := inspect.Said{Analyzer: "SA1", Doc: "too short", Message: "it is", File: "messy.go", Offset: 300}
	elsewhere := said
	elsewhere.File = "other.go"
	p, _ := looking(t, "messy", inspect.Report{Ran: 3, Said: []inspect.Said{said, elsewhere}, Failed: []string{"one panicked"}}, nil)
	all := p.Inspectors()
	found := all[len(all)-1].Inspect(p)
	if len(found) != 1 || found[0].String() != "SA1: too short" || found[0].Places[0].String() != "messy.go:16 File (it is)" {
		t.Errorf("got %v %v, want the one in the package", found, found[0].Places)
	}
	if looked, why := p.Looked("staticcheck"); looked != 0.75 || why != "one panicked" {
		t.Errorf("looked at %v: %q", looked, why)
	}
}

func TestToolThatCannotLookIsAGap(t *testing.T) {
	p, _ := looking(t, "messy", inspect.Report{}, errors.New("not here"))
	if v := inspect.Judge(p, "staticcheck", track, nil); v.Stance != inspect.Abstain || v.Reason != "could not look: not here" {
		t.Errorf("got %+v", v)
	}
}

func TestToolIsNotAskedAboutWhatDoesNotCompile(t *testing.T) {
	if _, asked := looking(t, "broken", inspect.Report{}, nil); asked != 0 {
		t.Errorf("asked %d times", asked)
	}
}
