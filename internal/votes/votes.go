// Package votes reads sets of votes with known truth: votes.csv with the
// columns task, voter, label and, where the set has them, confidence and group;
// and truth.csv with task and label. Tasks, voters and labels are names: 1 to 256
// bytes of printable UTF-8, without the space around them. A voter that has no
// row for a task abstains.
//
// An [Import] reads the votes of other programs: CSV and JSON lines with names of
// their own, exports of Label Studio and Argilla, samples of lm-evaluation-harness.
package votes

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A Set is the votes on many tasks. Tasks are in the order in which they
// first appear, votes in the order of their rows.
type Set struct {
	Name  string
	Tasks []*Task
}

// A Task is one decision.
type Task struct {
	ID    string
	Votes []Vote
	Truth string // the right label; "" where it is not known
}

// A Vote is one row: a voter is for a label.
type Vote struct {
	Voter      string
	Label      string
	Confidence float64 // the voter's own probability of being right; 1 where the set has none
	Group      string
	Line       int    // of its row
	File       string // "" for votes.csv
}

// A RowError is a row, or a part of it, that was refused; all others were read.
type RowError struct {
	file    string
	line    int
	field   string // "" where the problem says it, or is none of a field
	Problem string
}

func (e *RowError) Error() string {
	if e.field != "" {
		return fmt.Sprintf("%s:%d: %s: %s", e.file, e.line, e.field, e.Problem)
	}
	return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.Problem)
}

// Read reads the set in dir. A set without truth.csv has no truths. The row
// errors say which rows were refused; the error, if any, why there is no set.
func Read(dir fs.FS, name string) (*Set, []*RowError, error) {
	r := newReader(name)
	if err := r.file(dir, "votes.csv", []string{"task", "voter", "label"}, r.vote); err != nil {
		return nil, nil, err
	}
	err := r.file(dir, "truth.csv", []string{"task", "label"}, r.truth)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	return r.set, r.refused, nil
}

// Find returns the directories in dir that hold a set, dir itself among them,
// sorted.
func Find(dir fs.FS) ([]string, error) {
	found, err := fs.Glob(dir, "*/votes.csv")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range found {
		names = append(names, f[:len(f)-len("/votes.csv")])
	}
	if _, err := fs.Stat(dir, "votes.csv"); err == nil {
		names = append(names, ".")
	}
	slices.Sort(names)
	return names, nil
}

type reader struct {
	dir     string // of its files, where it is not in their names
	set     *Set
	tasks   map[string]*Task
	refused []*RowError
}

func newReader(name string) *reader {
	return &reader{dir: name, set: &Set{Name: name}, tasks: map[string]*Task{}}
}

// file reads one file, whose first columns must be those wanted.
func (r *reader) file(dir fs.FS, name string, want []string, row func(line int, get func(string) string) error) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := newTable(f, 0)
	if err != nil || len(in.header) < len(want) || !slices.Equal(in.header[:len(want)], want) {
		return fmt.Errorf("%s: the first line must begin with the columns %q, not %s", name, want, clip(strings.Join(in.header, string(in.comma))))
	}
	r.rows(name, in, row)
	return nil
}

func (r *reader) refuse(file string, line int, problem error) {
	r.refused = append(r.refused, &RowError{file: path.Join(r.dir, file), line: line, Problem: problem.Error()})
}

// Refuse returns the error for a vote that was read but could not be used.
func (s *Set) Refuse(v Vote, problem error) *RowError {
	return &RowError{file: cmp.Or(v.File, path.Join(s.Name, "votes.csv")), line: v.Line, Problem: problem.Error()}
}

func (r *reader) vote(line int, get func(string) string) error {
	v := Vote{Voter: get("voter"), Label: get("label"), Confidence: 1, Group: get("group"), Line: line}
	if text := get("confidence"); text != "" {
		var err error
		if v.Confidence, err = probability(text); err != nil {
			return err
		}
	}
	return r.add(get("task"), v)
}

// add adds a vote whose confidence is a probability.
func (r *reader) add(task string, v Vote) error {
	err := cmp.Or(name("task", task), name("voter", v.Voter), name("label", v.Label))
	if err == nil && v.Group != "" {
		err = name("group", v.Group)
	}
	if err != nil {
		return err
	}
	t := r.tasks[task]
	if t == nil {
		t = &Task{ID: task}
		r.tasks[task] = t
		r.set.Tasks = append(r.set.Tasks, t)
	}
	t.Votes = append(t.Votes, v)
	return nil
}

func probability(text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(p) || p < 0 || p > 1 {
		return 0, fmt.Errorf("confidence %s is not in [0,1]", clip(text))
	}
	return p, nil
}

func (r *reader) truth(_ int, get func(string) string) error {
	return r.tell(get("task"), get("label"))
}

// tell says which label of a task is right.
func (r *reader) tell(task, truth string) error {
	if err := cmp.Or(name("task", task), name("label", truth)); err != nil {
		return err
	}
	t := r.tasks[task]
	switch {
	case t == nil:
		return fmt.Errorf("task %s has no votes", clip(task))
	case t.Truth != "" && t.Truth != truth:
		return fmt.Errorf("task %s has another truth, %s", clip(task), clip(t.Truth))
	}
	t.Truth = truth
	return nil
}

// name accepts what can be the name of something on a bus.
func name(field, value string) error {
	const most = 256
	switch {
	case value == "":
		return fmt.Errorf("no %s", field)
	case !utf8.ValidString(value):
		return fmt.Errorf("%s %s is not UTF-8", field, clip(value))
	case strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("%s %s has a character that does not print", field, clip(value))
	case len(value) > most:
		return fmt.Errorf("%s %s has %d bytes, more than %d", field, clip(value), len(value), most)
	}
	return nil
}

// clip quotes a text, cut so that it fits a line.
func clip(s string) string { return text.Quote(s, 40) }
