package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const vendored = "../data/votes"

func TestSameFiguresForAnyNumberOfWorkers(t *testing.T) {
	var out [2]bytes.Buffer
	for i, workers := range []string{"1", "3"} {
		args := []string{
			"--data", vendored, "--sets", "replicats_1,replicats_2", "--draws", "2", "--resamples", "20", "--workers", workers,
			"--svg", filepath.Join(t.TempDir(), "svg"), "--json", filepath.Join(t.TempDir(), "figures.json"),
		}
		if err := run(args, &out[i], io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	if out[0].String() != out[1].String() {
		t.Errorf("one worker writes\n%s\nthree write\n%s", out[0].String(), out[1].String())
	}
	for _, want := range []string{"## No known outcome", "## 50 % known", "## Streaming", "## Under attack", "| learned |"} {
		if !strings.Contains(out[0].String(), want) {
			t.Errorf("no %q in what is written", want)
		}
	}
}

func TestChartsAndFiguresAreWritten(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--data", vendored, "--sets", "replicats_1", "--parts", "batch", "--svg", dir, "--json", dir + "/f.json", "--md", dir + "/f.md"}
	if err := run(args, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"accuracy.svg": "<svg", "calibration.svg": "<svg", "f.json": `"logLoss"`, "f.md": "| learned |"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q (%v)", file, want, err)
		}
	}
}

func TestBaselinesReproduceKnownFigures(t *testing.T) {
	sets, err := load(os.DirFS(vendored))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		if s.name != "sp_amt" && s.name != "cf_amt" {
			continue // the rest takes longer; the command checks all
		}
		for _, m := range methods() {
			want, ok := published[m.name][s.name]
			if !ok || m.name == "pruned" || m.name == "dawid-skene" { // whose priors were never published
				continue
			}
			got := 100 * measure(s.score(m.run(s, none(s)), nil), false).Accuracy
			if got < want-0.55 || got > want+0.55 {
				t.Errorf("%s on %s has %.1f, want %.1f", m.name, s.name, got, want)
			}
		}
	}
}

func TestBadFlagsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"--parts", "all"}, {"--draws", "0"}, {"--sets", "no such", "--data", vendored}, {"--nonsense"}} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}

func TestAttackersVoteAsDefined(t *testing.T) {
	sets, err := load(os.DirFS(vendored))
	if err != nil {
		t.Fatal(err)
	}
	s := sets[0]
	o, under := attacks[1].under(s, 1)
	share := float64(o.voters()-s.voters()) / float64(o.voters())
	if share < 0.39 || share > 0.41 {
		t.Errorf("%.3f of the voters attack, want 0.4", share)
	}
	for t2 := range o.tasks() {
		said := map[int32]bool{}
		for i := o.start[t2]; i < o.start[t2+1]; i++ {
			if int(o.voter[i]) >= s.voters() {
				said[o.label[i]] = true
			}
		}
		if len(said) > 1 || said[o.truth[t2]] || !under[t2] {
			t.Fatalf("task %d with truth %d: attackers say %v", t2, o.truth[t2], said)
		}
	}
}
