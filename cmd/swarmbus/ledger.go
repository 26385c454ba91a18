package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/internal/ownerfile"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A ledgerFile is where what a team learns of its agents lasts, from solve to solve; "": nowhere.
type ledgerFile string

// ledgerAt returns the file of a ledger that was named as runs are, or that is beside a journal named so.
func ledgerAt(named, beside string) (ledgerFile, error) {
	if named == "" && beside == "" {
		return "", nil
	}
	path, err := runs.Path(cmp.Or(named, beside))
	if named == "" || path != named {
		path = strings.TrimSuffix(path, runs.Suffix) + ".ledger"
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	return ledgerFile(path), err
}

// read returns what the file has; an empty ledger if there is none yet.
func (f ledgerFile) read() (*reliability.Ledger, error) {
	l := new(reliability.Ledger)
	saved, err := os.ReadFile(string(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err == nil:
		err = json.Unmarshal(saved, l)
	}
	if err != nil {
		return nil, fmt.Errorf("the ledger %s cannot be read: %w", f, err)
	}
	return l, nil
}

// add adds what a ledger has learned from the solves of a run, which name names; nil: everything.
func (f ledgerFile) add(from *reliability.Ledger, name func(string) string) error {
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	lock, err := journal.Lock(string(f))
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // it is released with the process at the latest
	l, err := f.read()
	if err == nil {
		err = l.Add(from, name)
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return ownerfile.Replace(string(f), append(text, '\n'))
}

// knowing returns what opens a team that knows a ledger; nil: its own.
func knowing(l *reliability.Ledger, open func(context.Context, desk.Keep) (*desk.Crew, error)) func(context.Context, desk.Keep) (*desk.Crew, error) {
	if l == nil {
		return open
	}
	return func(ctx context.Context, k desk.Keep) (*desk.Crew, error) {
		c, err := open(ctx, k)
		if err != nil {
			return nil, err
		}
		build := c.Build
		c.Build = func(k desk.Keep, show desk.Show) (swarm.Options, error) {
			o, err := build(k, show)
			o.Ledger = l
			return o, err
		}
		return c, nil
	}
}

// learn adds what a run has learned, with the outcomes that are known.
func (f ledgerFile) learn(from *reliability.Ledger, run string, began time.Time, all ...*solves.Result) error {
	named := map[string]string{}
	for _, r := range all {
		if r.Observed != "" {
			named[r.Observed] = fmt.Sprintf("%s %s %s", strings.TrimSuffix(filepath.Base(run), runs.Suffix), began.UTC().Format(time.RFC3339Nano), r.Observed)
		}
	}
	if f == "" || len(named) == 0 {
		return nil
	}
	return f.add(from, func(id string) string { return named[id] })
}

// told adds the outcomes of a run to the ledger that its team has, if it has one.
func told(file *journal.File) error {
	results, err := journal.ReadResults(file)
	if err != nil {
		return err
	}
	var terms solveTerms
	if known := readTerms(results, &terms) == nil; !known || terms.Ledger == "" {
		return nil // it was not recorded by a solve of the command, or has no ledger
	}
	past, err := ledgerOf(file)
	if err != nil || past == nil {
		return err
	}
	all, err := solves.List(file)
	if err != nil {
		return err
	}
	return terms.Ledger.learn(past, file.Path(), terms.Began, all...)
}

// ledgerOf returns what a log has learned; nil: nothing.
func ledgerOf(log journal.Reader) (*reliability.Ledger, error) {
	codec, err := runlog.NewCodec()
	if err != nil {
		return nil, err
	}
	past, err := desk.ReadFold(log, codec, nil)
	if err != nil {
		return nil, err
	}
	defer past.Replay.Close()
	ledger := past.Replay.Ledger(runlog.Learner)
	if ledger != nil {
		ledger.Learn()
	}
	return ledger, nil
}
