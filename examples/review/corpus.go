package main

import (
	"cmp"
	"context"
	"fmt"
	"go/build"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/swarm"
)

// A sample is a package whose answer is known.
type sample struct {
	dir     string // below the corpus, or std:PATH
	part    string // "design": rules were chosen on it; "held-out": they were not
	planted string // the inspector that claims to look for its defect, "" for a clean package
	line    string // where the defect is, as file:line
	run     bool   // its tests are run
}

// An outcome is what the team made of a sample.
type outcome struct {
	sample
	choice string
	why    string          // of request-changes
	named  bool            // the line of the defect is in the reasons
	defect map[string]bool // inspectors with a standing defect
}

func (o outcome) clean() bool { return o.planted == "" }

// right says whether the answer is: changes that name the line, or approval.
func (o outcome) right() bool {
	if o.clean() {
		return o.choice == approve
	}
	return o.choice == requestChanges && o.named
}

// readSamples reads cases.txt: a line for each, with tabs between directory,
// part, inspector or "clean", line or "-", and "run" where tests are run.
func readSamples(dir string) ([]sample, error) {
	text, err := os.ReadFile(filepath.Join(dir, "cases.txt"))
	if err != nil {
		return nil, err
	}
	var all []sample
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 4 || !slices.Contains(parts, f[1]) {
			return nil, fmt.Errorf("cases.txt: %q is no case", strings.TrimSpace(line))
		}
		s := sample{dir: f[0], part: f[1], planted: f[2], line: f[3], run: len(f) > 4}
		if s.planted == "clean" {
			s.planted, s.line = "", ""
		}
		all = append(all, s)
	}
	return all, nil
}

func (s sample) path(corpus string) string {
	if std, ok := strings.CutPrefix(s.dir, "std:"); ok {
		return filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(std))
	}
	return filepath.Join(corpus, filepath.FromSlash(s.dir))
}

// judge has the team decide on a sample.
func (s sample) judge(ctx context.Context, corpus string) (outcome, error) {
	o := outcome{sample: s, defect: map[string]bool{}}
	p, err := inspect.Load(ctx, s.path(corpus), &inspect.Options{RunTests: s.run})
	if err != nil {
		return o, err
	}
	result, err := solve(ctx, p, 1, nil, blind, func(swarm.Event) error { return nil })
	if err != nil {
		return o, err
	}
	o.choice = cmp.Or(result.Decision.Choice, result.Stop.String())
	for _, proposal := range result.Proposals {
		if proposal.Is(requestChanges) {
			o.why = proposal.Proposal.Payload.Reasoning
			o.named = s.line != "" && regexp.MustCompile(regexp.QuoteMeta(s.line)+`\b`).MatchString(o.why)
		}
	}
	for _, c := range inspect.Claims(p, inspect.All(p)) {
		if c.Stands() {
			o.defect[c.Finding.Inspector] = true
		}
	}
	return o, nil
}

// measure reviews every sample and prints what came of it, then what it comes
// to.
func (f *flags) measure(ctx context.Context, stdout, stderr io.Writer) error {
	samples, err := readSamples(f.corpus)
	if err != nil {
		return err
	}
	line := startProgress(stderr)
	defer line.end()
	var all []outcome
	for o, err := range judgeAll(ctx, f.corpus, samples) {
		if err != nil {
			return fmt.Errorf("%s: %w", o.dir, err)
		}
		all = append(all, o)
		line.say(fmt.Sprintf("%d of %d packages", len(all), len(samples)))
		if _, err := io.WriteString(stdout, o.row()); err != nil {
			return err
		}
	}
	if f.update {
		if err := os.WriteFile("examples/review/tracks.txt", []byte(trackRecord(all)), 0o600); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, "\n"+summary(all))
	return err
}

// judgeAll judges samples, as many at once as there are processors, and yields
// the outcomes in the order of the samples.
func judgeAll(ctx context.Context, corpus string, samples []sample) iter.Seq2[outcome, error] {
	type judged struct {
		outcome
		err error
	}
	return func(yield func(outcome, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		results := make([]chan judged, len(samples))
		turn := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i := range results {
			results[i] = make(chan judged, 1)
		}
		wg.Go(func() {
			for i, s := range samples {
				turn <- struct{}{}
				wg.Go(func() {
					o, err := s.judge(ctx, corpus)
					results[i] <- judged{o, err}
					<-turn
				})
			}
		})
		for _, result := range results {
			if r := <-result; !yield(r.outcome, r.err) {
				return
			}
		}
	}
}
