package main

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
)

func TestSameSeedPrintsTheSameTable(t *testing.T) {
	var first, again, other, stderr bytes.Buffer
	for seed, w := range map[string]*bytes.Buffer{"1": &first, "01": &again, "2": &other} {
		if err := run([]string{"--data", "../data/votes/replicats_1", "--orders", "2", "--resolve", "2", "--seed", seed}, w, &stderr); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != again.String() || first.String() == other.String() {
		t.Error("a seed does not make the table, or makes any")
	}
	if n := strings.Count(first.String(), "| default |"); n != 13 {
		t.Errorf("%d rows of the default, want 13:\n%s", n, first.String())
	}
	if err := run([]string{"--data", "."}, &first, &stderr); err == nil {
		t.Error("no set is no error")
	}
	if err := run([]string{"--help"}, &first, &stderr); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help: %v", err)
	}
}

func TestDecisionsAreScored(t *testing.T) {
	approve := func(labels ...string) consensus.Decision { return decide(forms[0], labels) }
	choose := func(labels ...string) consensus.Decision { return decide(forms[1], labels) }
	for _, c := range []struct {
		f     form
		d     consensus.Decision
		truth string
		want  [4]float64 // leads, decided, right of decided, worth
	}{
		{forms[0], approve("1", "1", "1"), "1", [4]float64{1, 1, 1, 1}},
		{forms[0], approve("0", "0", "0"), "0", [4]float64{1, 1, 1, 1}},
		{forms[0], approve("0", "0", "0"), "1", [4]float64{0, 1, 0, -7.0 / 3}},
		{forms[0], approve("0", "1"), "1", [4]float64{0.5, 0, 0, 0}},
		{forms[1], choose("4", "4", "4"), "4", [4]float64{1, 1, 1, 1}},
		{forms[1], choose("4", "4", "4"), "3", [4]float64{0, 1, 0, -7.0 / 3}},
		{forms[1], choose("4", "3"), "3", [4]float64{0.5, 0, 0, 0}},
	} {
		var s figures
		s.add(c.f, c.d, c.truth)
		if got := [4]float64{s.leads.sum, s.decided.sum, s.right.sum, s.worth.sum}; got != c.want {
			t.Errorf("%v, truth %s: %v, want %v", c.d, c.truth, got, c.want)
		}
	}
}

func decide(f form, labels []string) consensus.Decision {
	var cast []votes.Vote
	for i, label := range labels {
		cast = append(cast, votes.Vote{Voter: string(rune('a' + i)), Label: label, Confidence: 1})
	}
	return consensus.Voting{}.Decide(f.ballots(cast))
}
