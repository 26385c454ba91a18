package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A threadState holds the decisions on a thread, by each of its terms, as they are
// recorded in a log. They are not derived again.
type threadState struct {
	thread  string
	terms   []string                   // names, in the order in which they were opened
	decided map[string]*runlog.Decided // by terms; nil: not yet
	back    bool                       // something was taken back
	words   string                     // how the swarm's solve stopped; "": not read
	revised bool                       // the swarm decides otherwise without what was taken back
}

// threadsOf returns the threads of a run in the order in which they began, but for those of
// rooms, in which nothing is decided. It reads only the records of decisions.
func threadsOf(ctx context.Context, v journal.Reader) (threads []*threadState, err error) {
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	known := map[string]*threadState{}
	pick := func(kind signals.Kind, name string) bool {
		if kind == "" || strings.HasPrefix(string(kind), "room.") {
			return false
		}
		t := known[name]
		if t == nil {
			t = &threadState{thread: name, decided: map[string]*runlog.Decided{}}
			known[name], threads = t, append(threads, t)
		}
		t.back = t.back || kind == signals.KindRetraction
		return kind == runlog.KindTerms || kind == runlog.KindDecided
	}
	for r, err := range journal.Select(ctx, v, pick) {
		if err != nil {
			return threads, err
		}
		s, err := r.Signal(codec)
		if err != nil {
			return threads, err
		}
		known[s.Head().Thread].take(s.Body())
	}
	return threads, nil
}

// foldInto reads how the solves of threads stopped, with their votes, and what they decide without what was taken back later.
func foldInto(v journal.Reader, threads []*threadState) error {
	if !slices.ContainsFunc(threads, func(t *threadState) bool { return slices.Contains(t.terms, runlog.Learner) }) {
		return nil // no swarm's
	}
	all, err := solves.List(v)
	if err != nil {
		return err
	}
	for _, r := range all {
		i := slices.IndexFunc(threads, func(t *threadState) bool { return t.thread == r.Thread })
		if i < 0 || r.Stop == 0 {
			continue
		}
		t := threads[i]
		if t.words = r.Sentence(nil); r.Stop > runlog.StopUncertified && !r.Stop.Chose() && r.Stop != runlog.StopContested {
			t.words = r.Stop.String() + ": " + t.words
		}
		if now := r.Revision; now != nil && now.Changed {
			t.words, t.revised = t.words+"; without what was taken back "+now.Decision.Sentence(nil), true
		}
	}
	return nil
}

func (t *threadState) take(said any) {
	switch p := said.(type) {
	case runlog.Opened:
		terms, err := p.Of()
		if err != nil {
			return // replay says so
		}
		if !slices.Contains(t.terms, terms.Name) {
			t.terms = append(t.terms, terms.Name)
		}
		t.decided[terms.Name] = nil
	case runlog.Decided:
		t.decided[p.Name] = &p
	}
}

// ending describes how the thread ended by some terms, in one word and in several.
// running says that it may still continue.
func (t *threadState) ending(terms string, running bool) (word, words string) {
	word, words = t.recorded(terms, running)
	switch {
	case terms != runlog.Learner || t.words == "" || t.decided[terms] == nil:
		return word, words
	case t.revised:
		word = "revised"
	}
	return word, t.words
}

// recorded is ending by the record alone.
func (t *threadState) recorded(terms string, running bool) (word, words string) {
	p := t.decided[terms]
	switch {
	case p == nil && running:
		return "running", "running"
	case p == nil:
		return "cut off", "cut off"
	case p.Stop > runlog.StopUncertified:
		return p.Stop.String(), p.Stop.String() + ": " + p.Detail
	}
	d, err := p.Made()
	switch {
	case err != nil:
		return "unreadable", err.Error()
	case d.Outcome == consensus.Reached:
		word = "decided"
	default:
		word = d.Outcome.String()
	}
	return word, d.Sentence(nil)
}

// describe says how the thread ended by each of its terms.
func (t *threadState) describe(running bool) string {
	var all []string
	for _, terms := range t.terms {
		_, words := t.ending(terms, running)
		if len(t.terms) > 1 {
			words = terms + ": " + words
		}
		all = append(all, words)
	}
	return text.Printable(strings.Join(all, "; "))
}

// summary describes the end of a run in a line: in words for one thread, and as counts
// of each ending for several.
func summary(threads []*threadState, running bool) string {
	if len(threads) == 1 {
		return threads[0].describe(running)
	}
	counts := map[string]int{}
	for _, t := range threads {
		for _, terms := range t.terms {
			word, _ := t.ending(terms, running)
			counts[word]++
		}
	}
	var all []string
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d %s", counts[word], word))
	}
	if all == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s", text.Plural(len(threads), "thread"), strings.Join(all, ", "))
}

func listThreads(w io.Writer, v journal.Reader, threads []*threadState, running bool) error {
	if err := foldInto(v, threads); err != nil {
		return err
	}
	var out cli.Table
	for _, t := range threads {
		out.Row(strconv.Quote(t.thread), t.describe(running))
	}
	return out.Print(w, new(cli.List))
}
