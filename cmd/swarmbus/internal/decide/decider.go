package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/internal/votes"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// The names on the command line, in addition to those of the built-in strategies.
const (
	byDefault = "default"
	byLearned = "learned"
	byAll     = "all"
)

// names returns the values of --strategy, except the one for all strategies.
func names() []string {
	all := []string{byDefault, byLearned}
	for _, s := range consensus.Builtin() {
		all = append(all, s.Name())
	}
	return all
}

// choose returns the requested names, or the default.
func choose(wanted []string) ([]string, error) {
	if len(wanted) == 0 {
		return []string{byDefault}, nil
	}
	var chosen []string
	for _, name := range wanted {
		switch {
		case name == byAll:
			chosen = append(chosen, names()...)
		case slices.Contains(names(), name):
			chosen = append(chosen, name)
		default:
			want := strings.Join(names(), ", ") + " or " + byAll
			return nil, fmt.Errorf("--strategy: %w", &consensus.FieldError{Field: "strategy", Value: name, Want: want})
		}
	}
	return chosen, nil
}

// A decider decides the tasks of one set in order, each by what it has learned
// before.
type decider struct {
	name   string
	about  *reliability.Options
	named  consensus.Strategy  // or
	ledger *reliability.Ledger // what swarms have when nobody chooses
}

func newDecider(name string, about *reliability.Options) (*decider, error) {
	d := &decider{name: name, about: about}
	var err error
	switch name {
	case byDefault, byLearned:
		d.ledger, err = reliability.NewLedger(about)
	default:
		d.named, err = consensus.Lookup(name)
	}
	return d, err
}

// strategy returns the strategy for the next task.
func (d *decider) strategy() consensus.Strategy {
	switch {
	case d.ledger == nil:
		return d.named
	case d.name == byLearned:
		several, _ := d.ledger.Models()
		return reliability.Strategy{Model: several}
	default:
		return d.ledger.Strategy()
	}
}

// learn takes in a task that was decided, and its outcome unless it is "". It
// returns the name by which what learns knows it, "" where nothing does.
func (d *decider) learn(task string, b consensus.Ballots, outcome string) (observed string, err error) {
	if d.ledger == nil || b.Voters() == 0 {
		return "", nil
	}
	if err := d.ledger.Observe(task, b); err != nil || outcome == "" {
		return task, err
	}
	return task, d.ledger.Resolve(task, outcome)
}

// terms returns the recorded terms of the decider's decisions.
func (c *tally) terms(set *votes.Set, f *decideFlags) *runlog.Terms {
	d := c.decider
	t := &runlog.Terms{Name: d.name, Rule: runlog.Rule, Strategy: d.name}
	t.SetOptions(&f.terms)
	if d.named == nil {
		t.Default = true
		t.Learner, t.Learns = set.Name+"/"+d.name, d.about
	}
	return t
}

// maxChoices is the maximum number of labels that can mean the same in every
// task.
const maxChoices = 64

// about says what the tasks of a set are between: its labels, which mean the
// same in every task, unless they are each task's own.
func about(set *votes.Set, own bool) *reliability.Options {
	var labels []string
	for _, t := range set.Tasks {
		for _, v := range t.Votes {
			labels = append(labels, v.Label)
		}
		if t.Truth != "" {
			labels = append(labels, t.Truth)
		}
	}
	slices.Sort(labels)
	labels = slices.Compact(labels)
	if own || len(labels) < 2 || len(labels) > maxChoices {
		return nil
	}
	return &reliability.Options{Choices: labels}
}
