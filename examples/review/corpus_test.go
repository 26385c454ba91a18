package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/swarm/solves"
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

// judge has the team decide on a sample, with tools.
func (s sample) judge(ctx context.Context, corpus string, tools ...inspect.Tool) (outcome, error) {
	o := outcome{sample: s, defect: map[string]bool{}}
	p, err := inspect.Load(ctx, s.path(corpus), s.run, tools...)
	if err != nil {
		return o, err
	}
	result, err := solve(ctx, p, 1, nil, blind, func(solves.Event) error { return nil })
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

// judgeAll judges samples, as many at once as there are processors.
func judgeAll(ctx context.Context, corpus string, samples []sample, tools ...inspect.Tool) ([]outcome, error) {
	all, errs := make([]outcome, len(samples)), make([]error, len(samples))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				if all[i], errs[i] = samples[i].judge(ctx, corpus, tools...); errs[i] != nil {
					errs[i] = fmt.Errorf("%s: %w", samples[i].dir, errs[i])
				}
			}
		})
	}
	for i := range samples {
		next <- i
	}
	close(next)
	wg.Wait()
	return all, errors.Join(errs...)
}

// whole has TestTableIsWhatIsMeasured judge every case, which takes minutes, tooled has it
// ask the tools, too, and update has it write RESULTS.md and tracks.txt.
var (
	whole  = flag.Bool("corpus", false, "judge every case of the corpus, with tools and without")
	tooled = flag.Bool("tools", false, "judge with tools, too")
	update = flag.Bool("update", false, "with -corpus: write RESULTS.md and tracks.txt")
)

// TestTableIsWhatIsMeasured judges some of the cases again: RESULTS.md must have
// their rows, or what their rows begin with if no tools are asked.
func TestTableIsWhatIsMeasured(t *testing.T) {
	committed, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	samples, err := readSamples("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var some []sample
	for i, s := range samples {
		if *whole || i%4 == 0 && !s.run && !strings.HasPrefix(s.dir, "std:") {
			some = append(some, s)
		}
	}
	alone, err := judgeAll(t.Context(), "testdata", some)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, o := range alone {
		rows = append(rows, o.row())
	}
	if *whole || *tooled {
		tools, err := with("staticcheck,gosec")
		if err != nil {
			t.Fatal(err)
		}
		all, err := judgeAll(t.Context(), "testdata", some, tools...)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range all {
			rows[i] += o.rest(alone[i])
		}
		if *whole {
			rows = append(rows, "with staticcheck and gosec\n"+summary(all), "without them\n"+summary(alone))
		}
		if *whole && *update {
			write(t, "tracks.txt", trackRecord(all))
			text, _, _ := strings.Cut(string(committed), "```text\n")
			committed = []byte(text + "```text\n" + strings.Join(rows[:len(all)], "") + "\n" + strings.Join(rows[len(all):], "\n") + "```\n")
			write(t, "RESULTS.md", string(committed))
		}
	}
	for _, row := range rows {
		if !strings.Contains(string(committed), row) {
			t.Errorf("RESULTS.md does not have\n%s", row)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// onlyOthers are inspectors that have vet and staticcheck to go by and look for less
// than what was planted: their shares have no bar.
var onlyOthers = []string{"concurrency", "resources"}

// TestTableMeetsItsBars reads the committed table: at least nine in ten defects
// named with tools, but for those of onlyOthers, and at most one in ten clean packages
// refused, in each part; without tools the same of what the others look for.
func TestTableMeetsItsBars(t *testing.T) {
	committed, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	samples, err := readSamples("testdata")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^(design|held-out) +(\S+) +(clean|(\w+) \S+) +[\w-]+ +(ok|WRONG) +[\w-]+ +(ok|WRONG)`)
	right, all, n := map[string]int{}, map[string]int{}, 0
	for _, m := range row.FindAllStringSubmatch(string(committed), -1) {
		n++
		kind := m[1] + " planted"
		if m[3] == "clean" {
			kind = m[1] + " clean"
		}
		if slices.Contains(onlyOthers, m[4]) {
			continue
		}
		count := func(kind, verdict string) {
			all[kind]++
			if verdict == "ok" {
				right[kind]++
			}
		}
		count(kind, m[6])
		if m[4] != "staticcheck" && m[4] != "gosec" {
			count(kind+" without tools", m[5])
		}
	}
	for _, part := range parts {
		for kind, least := range map[string]int{" planted": 25, " clean": 25, " planted without tools": 12, " clean without tools": 25} {
			if kind = part + kind; all[kind] < least || 10*right[kind] < 9*all[kind] {
				t.Errorf("%s: %d of %d right, want at least nine in ten of at least %d", kind, right[kind], all[kind], least)
			}
		}
	}
	if n != len(samples) {
		t.Errorf("%d rows for %d cases", n, len(samples))
	}
}

func TestCasesPointAtLines(t *testing.T) {
	samples, err := readSamples("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if s.planted == "" {
			continue
		}
		file, line, _ := strings.Cut(s.line, ":")
		text, err := os.ReadFile(s.path("testdata") + "/" + file)
		if err != nil || line == "" || strings.Count(string(text), "\n") < 5 {
			t.Errorf("%s: no %s: %v", s.dir, s.line, err)
		}
	}
	if _, err := readSamples("inspect/testdata"); err == nil {
		t.Error("a directory without cases is read")
	}
}
