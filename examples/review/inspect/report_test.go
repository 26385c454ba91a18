package inspect_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

var update = flag.Bool("update", false, "rewrite the reports in testdata")

// TestReports compares everything that is known about each fixture with
// testdata/<name>.txt: read a change of those files as a change of judgement.
func TestReports(t *testing.T) {
	for _, name := range fixtures {
		t.Run(name, func(t *testing.T) {
			got := report(fixture(t, name))
			file := filepath.Join("testdata", strings.ReplaceAll(name, "/", "-")+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// tempers are a bold agent, a middling one and a cautious one.
var tempers = []inspect.Temper{
	{Caution: 0.1, Curiosity: 0.9, Conformity: 0.2},
	{Caution: 0.5, Curiosity: 0.5, Conformity: 0.5},
	{Caution: 0.9, Curiosity: 0.4, Conformity: 0.7},
}

func report(p *inspect.Package) string {
	var b strings.Builder
	claims := inspect.Claims(p, inspect.All(p))
	for _, c := range claims {
		f := c.Finding
		fmt.Fprintf(&b, "%s/%s: %s\n", f.Inspector, f.Rule, f.Message)
		fmt.Fprintf(&b, "\t%s %s, relevance %.3f, confidence %.2f, risk %.3f, standing %.2f\n",
			f.Severity, f.Dimension, f.Relevance, f.Confidence, f.Risk(), c.Standing())
		for _, at := range f.Places {
			fmt.Fprintf(&b, "\tat %s\n", at)
		}
		for _, a := range c.Arguments {
			fmt.Fprintf(&b, "\t%s, strength %.3f\n", a, a.Strength)
		}
	}
	for _, s := range inspect.Scorecard(claims) {
		fmt.Fprintf(&b, "%s: %.3f of %d, worst %q\n", s.Dimension, s.Risk, s.Findings, s.Worst)
	}
	for _, i := range inspect.Inspectors() {
		if merits := p.Stats().Merits(i.Name); merits != "" {
			fmt.Fprintf(&b, "for it, %s: %s\n", i.Name, merits)
		}
	}
	for _, temper := range tempers {
		v := temper.Judge("vet", claims)
		fmt.Fprintf(&b, "%+v: %s by %.3f: %s\n", temper, v.Stance, v.Conviction(), v.Reason())
	}
	return b.String()
}

func TestNumbersLieBetweenZeroAndOne(t *testing.T) {
	for _, name := range fixtures {
		for _, c := range inspect.Claims(fixture(t, name), inspect.All(fixture(t, name))) {
			f := c.Finding
			for what, x := range map[string]float64{"relevance": f.Relevance, "confidence": f.Confidence, "risk": f.Risk(), "claim": c.Risk()} {
				if !(x > 0 && x <= 1) {
					t.Errorf("%s of %s is %v", what, f.Key(), x)
				}
			}
			if len(f.Places) == 0 || f.Severity < inspect.Low || f.Severity > inspect.High || f.Message == "" || f.Inspector == "" {
				t.Errorf("incomplete finding %+v", f)
			}
		}
	}
}

func TestFindingsAreFoundByTheirKeys(t *testing.T) {
	for _, name := range fixtures {
		all := inspect.All(fixture(t, name))
		for _, f := range all {
			if got, ok := inspect.Find(all, f.Key()); !ok || !cmp.Equal(got, f) {
				t.Errorf("%s of %s is found as %v, %v", f.Key(), name, got, ok)
			}
		}
		if _, ok := inspect.Find(all, "nothing@package"); ok {
			t.Error("found what is not there")
		}
	}
}

func TestPlacesExist(t *testing.T) {
	for _, name := range fixtures {
		p := fixture(t, name)
		lines := make(map[string]int)
		for _, f := range p.Files {
			lines[f.Name] = f.Lines
		}
		for _, c := range inspect.Claims(p, inspect.All(p)) {
			places := c.Finding.Places
			for _, a := range c.Arguments {
				places = append(places, a.Places...)
			}
			for _, at := range places {
				if at.File != "" && (at.Line < 1 || at.Line > lines[at.File]) {
					t.Errorf("%s: %s names a place that is not there: %s", name, c.Finding.Key(), at)
				}
			}
		}
	}
}

func TestTwoLoadsAgree(t *testing.T) {
	for _, name := range []string{"messy", "racy", "vetted", "broken"} {
		first := report(fixture(t, name))
		second := report(load(t, filepath.Join("testdata", name)))
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%s (-first +second):\n%s", name, diff)
		}
	}
}

func TestInspectorsMayWorkAtOnce(t *testing.T) {
	p := load(t, filepath.Join("testdata", "vetted"))
	var wg sync.WaitGroup
	reports := make([]string, 4)
	for i := range reports {
		wg.Go(func() { reports[i] = report(p) })
	}
	wg.Wait()
	for i, got := range reports {
		if got != reports[0] {
			t.Errorf("report %d differs: %s", i, cmp.Diff(reports[0], got))
		}
	}
}
