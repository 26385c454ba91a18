package decide

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/internal/votes"
)

// read reads the votes that the flags name.
func read(f *decideFlags) (sets []*votes.Set, refused []*votes.RowError, err error) {
	if f.from.From == "" {
		return readSets(f)
	}
	im, err := votes.NewImport(f.from.From, &f.from)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	for _, name := range f.files {
		if err = readFile(im, name); err != nil {
			break
		}
	}
	set, refused := im.Set()
	if f.task != "" {
		set.Tasks = only(set.Tasks, f.task)
	}
	switch {
	case err == nil && len(set.Tasks) == 0 && f.task != "":
		err = fmt.Errorf("no task %q", f.task)
	case err == nil && len(set.Tasks) == 0:
		err = fmt.Errorf("no votes in %s%s", strings.Join(f.files, ", "), others[f.from.From])
	}
	return []*votes.Set{set}, refused, err
}

// others says how other exports of the program of a format are read.
var others = map[string]string{
	votes.FromLabelStudio: ": it is not the JSON export, or nobody has answered; of JSON_MIN and CSV, --from jsonl and csv read the columns that --map names",
}

func readFile(im *votes.Import, name string) error {
	f, err := text.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	return im.Read(name, f)
}

// refusals are what was refused, as one error of a line each.
func refusals(all []*votes.RowError) error {
	var each []error
	for _, r := range all {
		each = append(each, fmt.Errorf("refused: %w", r))
	}
	return errors.Join(each...)
}

// readSets reads the directory of --votes.
func readSets(f *decideFlags) (sets []*votes.Set, refused []*votes.RowError, err error) {
	dir := os.DirFS(f.votes)
	found, err := votes.Find(dir)
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 {
		return nil, nil, fmt.Errorf("no votes.csv in %s or its directories", f.votes)
	}
	for _, name := range found {
		sub, err := fs.Sub(dir, name)
		if err != nil {
			return nil, nil, err
		}
		set, bad, err := votes.Read(sub, nameOf(f.votes, name))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		refused = append(refused, bad...)
		if f.task != "" {
			set.Tasks = only(set.Tasks, f.task)
		}
		if len(set.Tasks) > 0 {
			sets = append(sets, set)
		}
	}
	if len(sets) == 0 && f.task != "" {
		return nil, refused, fmt.Errorf("no task %q", f.task)
	}
	return sets, refused, nil
}

// nameOf is what a set is called: as its directory is.
func nameOf(dir, set string) string {
	whole, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(set)))
	if err != nil {
		return set
	}
	return filepath.Base(whole)
}

func only(tasks []*votes.Task, id string) []*votes.Task {
	for _, t := range tasks {
		if t.ID == id {
			return []*votes.Task{t}
		}
	}
	return nil
}
