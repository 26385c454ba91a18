package inspect

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A Tool is an inspector whose analyzers are in a process of its own, so that nobody who
// does without it has to build them.
type Tool struct {
	Name string // "staticcheck" or "gosec"
	// Look returns what they say of the package in a directory. An error is a gap.
	Look func(ctx context.Context, dir string) (Report, error)
}

var toolDocs = map[string]string{
	"staticcheck": "Staticcheck: code that panics, never ends, leaks or cannot do what it says.",
	"gosec":       "gosec: injection, TLS, weak cryptography, secrets in the source.",
}

// A Report is what analyzers made of a package.
type Report struct {
	Ran    int      `json:"ran"` // how many of them looked
	Said   []Said   `json:"said"`
	Failed []string `json:"failed"` // why the others could not
}

// Said is one thing that an analyzer said.
type Said struct {
	Analyzer string `json:"analyzer"`
	Doc      string `json:"doc"` // the first line of the analyzer's
	Category string `json:"category,omitempty"`
	Message  string `json:"message"`
	File     string `json:"file"` // relative to the package's directory
	Offset   int    `json:"offset"`
}

// Tell is the process of a [Tool]: it writes to w what analyzers say of the package in dir, as
// JSON of a [Report].
func Tell(ctx context.Context, w io.Writer, dir string, analyzers ...*analysis.Analyzer) error {
	p, err := load(ctx, dir)
	if err != nil {
		return err
	}
	guarded := map[*analysis.Analyzer]bool{}
	for _, a := range analyzers {
		guard(a, guarded)
	}
	said, failed, err := p.run(analyzers...)
	if err != nil {
		return err
	}
	r := Report{Ran: len(analyzers) - len(failed), Said: said}
	for _, why := range failed {
		r.Failed = append(r.Failed, why.Error())
	}
	return json.NewEncoder(w).Encode(r)
}

// consult takes what a tool says. One that cannot look is a gap.
func (p *Package) consult(ctx context.Context, t Tool) {
	p.tools = append(p.tools, t.Name)
	if !p.Typed() {
		return
	}
	r, err := t.Look(ctx, p.dir)
	if err != nil {
		p.failures = append(p.failures, failure{t.Name, 1, oneLine(err.Error())})
		return
	}
	p.ran[t.Name] = r.Ran
	for _, why := range r.Failed {
		p.failures = append(p.failures, failure{t.Name, 1 / float64(r.Ran+len(r.Failed)), why})
	}
	for _, s := range r.Said {
		p.take(t.Name, s)
	}
}

// said is what an analyzer reports, without the positions of this process.
func (p *Package) said(a *analysis.Analyzer, d analysis.Diagnostic) Said {
	doc, _, _ := strings.Cut(a.Doc, "\n")
	s := Said{Analyzer: a.Name, Doc: strings.TrimSuffix(doc, "."), Category: d.Category, Message: oneLine(d.Message)}
	if d.Pos.IsValid() {
		at := p.fset.PositionFor(d.Pos, false)
		s.File, s.Offset = relative(p.dir, at.Filename), at.Offset
	}
	return s
}
