package main

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
)

func TestScoresAddUp(t *testing.T) {
	var s score
	s.add(answer{leads: 1, decided: true, right: true, confidence: 0.9, sure: 1})
	s.add(answer{leads: 0, decided: true, confidence: 0.8})
	s.add(answer{leads: 0.5, confidence: 0.6, sure: 0.5})
	if s.N != 3 || s.Right != 1 || s.Wrong != 1 || s.Leads != 1.5 {
		t.Errorf("%+v", s)
	}
	if got, want := s.worth(), -4.0/3; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("worth %v, want %v", got, want)
	}
	if got, want := 3*s.ece(), 0.1+0.8+0.1; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("ECE %v, want %v", got, want)
	}
}

func TestDecisionsAreRead(t *testing.T) {
	w := &world{labels: []string{"0", "1"}}
	decide := func(f form, truth string, labels ...string) answer {
		x := task{truth: truth}
		for i, label := range labels {
			x.cast = append(x.cast, votes.Vote{Voter: string(rune('a' + i)), Label: label, Confidence: 1})
		}
		return fixed{consensus.Voting{}}.decide(w, f, x)
	}
	for _, c := range []struct {
		got                   answer
		leads, decided, right bool
	}{
		{decide(forms[0], "1", "1", "1", "1"), true, true, true},
		{decide(forms[1], "0", "1", "1", "1"), false, true, false},
		{decide(forms[2], "0", "0", "0", "0"), true, true, true},
		{decide(forms[2], "1", "0", "0", "0"), false, true, false},
	} {
		if (c.got.leads == 1) != c.leads || c.got.decided != c.decided || c.got.right != c.right {
			t.Errorf("%+v, want %v", c.got, c)
		}
	}
	if a := decide(forms[0], "1", "0", "1"); a.leads != 0.5 || a.decided {
		t.Errorf("a tie is %+v", a)
	}
}

func TestPlantedVotersAreRightAsOftenAsPlanted(t *testing.T) {
	for i := range specs {
		s := &specs[i]
		right, n := make([]float64, len(s.right)), make([]float64, len(s.right))
		for seed := range uint64(10) {
			w := s.draw(rand.New(rand.NewPCG(seed, 3)))
			for at, x := range w.tasks {
				for _, v := range x.cast {
					j := int(v.Voter[len(v.Voter)-1] - '1')
					if s.then == nil || at < decisions/2 {
						n[j]++
						right[j] += number(v.Label == x.truth)
					}
				}
			}
		}
		for j, p := range s.right {
			if got := right[j] / n[j]; got < p-0.05 || got > p+0.05 {
				t.Errorf("%s: voter %d is right in %.3f, planted %.2f", s.name, j+1, got, p)
			}
		}
	}
}

func TestSameSeedPrintsTheSameTables(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	whole := specs
	specs = specs[:1]
	defer func() { specs = whole }()
	var first, again, stderr bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &again} {
		if err := run([]string{"--data", "../data/votes/replicats_1", "--seeds", "1"}, w, &stderr); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != again.String() || !strings.Contains(first.String(), "| 9 of replicats_1 | 100 % |") && !strings.Contains(first.String(), "one strong of three") {
		t.Error("a seed does not make the tables")
	}
	if err := run([]string{"--help"}, &first, &stderr); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help: %v", err)
	}
	if err := run([]string{"--data", "nowhere"}, &first, &stderr); err == nil {
		t.Error("a directory that is not there is no error")
	}
}
