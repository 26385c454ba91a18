package votes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
)

// The formats of an [Import].
const (
	FromCSV         = "csv"         // a header, then a row for each vote
	FromJSONLines   = "jsonl"       // an object for each vote, on lines or in an array
	FromLabelStudio = "labelstudio" // the JSON export of Label Studio 1
	FromArgilla     = "argilla"     // what to_json of the records of Argilla 2 writes
	FromLMEval      = "lm-eval"     // samples_*.jsonl of lm-evaluation-harness 0.4
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{FromCSV, FromJSONLines, FromLabelStudio, FromArgilla, FromLMEval}
}

// Options say how the files of an [Import] are read.
type Options struct {
	From string // one of [Formats]
	// Columns are the names of columns or members in CSV and JSON lines that are not
	// called task, voter, label, confidence, group and truth, by what they are.
	Columns map[string]string
	// Question is the one that is decided, where files have several: the name of a
	// control in Label Studio or of a question in Argilla, the filter of lm-eval.
	Question string
	// Delimiter is what is between the values of CSV; 0: what the file seems to have.
	Delimiter rune
	// Models says that predictions and suggestions of models are votes too.
	Models bool
}

var columns = []string{"task", "voter", "label", "confidence", "group", "truth"}

// An Import makes one set of the votes in files. Its zero value is of no use; call
// [NewImport].
type Import struct {
	reader
	options Options
	read    func(im *Import, file string, r io.Reader) error
	asked   string                 // the question that was answered first
	hashes  map[string]string      // of documents, by task
	voted   map[[2]string]struct{} // who has voted on what
}

// NewImport returns an import of a set of that name.
func NewImport(name string, o *Options) (*Import, error) {
	readers := map[string]func(*Import, string, io.Reader) error{
		FromCSV: (*Import).csv, FromJSONLines: (*Import).lines, FromLabelStudio: (*Import).labelStudio,
		FromArgilla: (*Import).argilla, FromLMEval: (*Import).lmEval,
	}
	im := &Import{
		reader: *newReader(name), options: *o, read: readers[o.From], asked: o.Question,
		hashes: map[string]string{}, voted: map[[2]string]struct{}{},
	}
	im.dir = ""
	if im.read == nil {
		return nil, fmt.Errorf("format %s is none of %s", clip(o.From), strings.Join(Formats(), ", "))
	}
	for what := range o.Columns {
		if !slices.Contains(columns, what) {
			return nil, fmt.Errorf("no votes have a %s; a column is one of %s", clip(what), strings.Join(columns, ", "))
		}
	}
	if len(o.Columns) > 0 && o.From != FromCSV && o.From != FromJSONLines {
		return nil, fmt.Errorf("%s has fields of its own: columns are of %s and %s", o.From, FromCSV, FromJSONLines)
	}
	return im, nil
}

// Read reads a file of that name. Its error says why the file, or the rest of it,
// cannot be read; what was read before stays.
func (im *Import) Read(file string, r io.Reader) error { return im.read(im, file, text.UTF8(r)) }

// Set returns what was read and what was refused.
func (im *Import) Set() (*Set, []*RowError) { return im.set, im.refused }

// An entry is a vote as a file has it.
type entry struct {
	file               string
	line               int
	task, voter, label field
	confidence         float64
	group              string
}

// A field is a value with the name by which its file has it.
type field struct{ name, value string }

// vote adds a vote, or refuses it.
func (im *Import) vote(e *entry) bool {
	for _, f := range []struct {
		what string
		field
	}{{"task", e.task}, {"voter", e.voter}, {"label", e.label}} {
		if err := name(f.what, f.value); err != nil {
			im.deny(e.file, e.line, f.name, err)
			return false
		}
	}
	twice := [2]string{e.task.value, e.voter.value}
	if _, ok := im.voted[twice]; ok {
		im.deny(e.file, e.line, e.voter.name, fmt.Errorf("%s has voted on %s before", clip(e.voter.value), clip(e.task.value)))
		return false
	}
	im.voted[twice] = struct{}{}
	v := Vote{Voter: e.voter.value, Label: e.label.value, Confidence: e.confidence, Group: e.group, Line: e.line, File: e.file}
	return im.add(e.task.value, v) == nil
}

// right says which label is right, or refuses to. A task that nobody votes on has none.
func (im *Import) right(file string, line int, task string, label field) {
	err := name("label", label.value)
	if err == nil {
		err = im.tell(task, label.value)
	}
	if err != nil {
		im.deny(file, line, label.name, err)
	}
}

// deny refuses a part of a file.
func (im *Import) deny(file string, line int, field string, problem error) {
	im.refused = append(im.refused, &RowError{file: file, line: line, field: field, Problem: problem.Error()})
}

// ErrAmbiguous is the reason why a file is not read that has several questions, if none
// was chosen.
var ErrAmbiguous = errors.New("several questions")

// chosen reports whether a question is the one that is decided. It is an error if none
// was chosen and there are two.
func (im *Import) chosen(file string, line int, field, question string) (bool, error) {
	im.asked = cmp.Or(im.asked, question)
	if question == im.asked {
		return true, nil
	}
	if im.options.Question == "" {
		return false, fmt.Errorf("%s:%d: %s: %w: %s and %s; choose one", file, line, field, ErrAmbiguous, clip(im.asked), clip(question))
	}
	return false, nil
}
