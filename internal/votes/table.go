package votes

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/internal/text"
)

// A table is CSV with a header. A quote too many costs the line that has it, and not those
// that it would take in.
type table struct {
	comma  rune // between values
	header []string
	all    []byte
	begin  int // where the reader began
	lines  int // before that
	in     *csv.Reader
}

// newTable reads the header. A table without one has none. Values have a comma between them, or what
// a first line such as sep=; says, or what the header has most of: commas, semicolons or tabs.
func newTable(r io.Reader, comma rune) (*table, error) {
	all, err := io.ReadAll(text.UTF8(r))
	if err != nil {
		return &table{}, err
	}
	t := &table{all: all, comma: comma}
	first, _, _ := strings.Cut(string(all), "\n")
	if said, is := strings.CutPrefix(strings.ToLower(strings.TrimRight(first, "\r")), "sep="); is && utf8.RuneCountInString(said) == 1 {
		if t.comma == 0 {
			t.comma, _ = utf8.DecodeRuneInString(said)
		}
		t.from(min(len(first)+1, len(all)), 1)
	} else {
		if t.comma == 0 {
			t.comma = slices.MaxFunc([]rune(",;\t"), func(a, b rune) int { return strings.Count(first, string(a)) - strings.Count(first, string(b)) })
		}
		t.from(0, 0)
	}
	t.header, err = t.in.Read()
	return t, err
}

// from reads on from a line that begins at a byte.
func (t *table) from(at, lines int) {
	t.begin, t.lines = at, lines
	t.in = csv.NewReader(bytes.NewReader(t.all[at:]))
	t.in.Comma, t.in.FieldsPerRecord = t.comma, -1
}

// next returns a row with the line where it begins, or that line with what is wrong with it;
// [io.EOF] after the last one.
func (t *table) next() (row *tableRow, line int, err error) {
	at := t.begin + int(t.in.InputOffset())
	fields, err := t.in.Read()
	var broken *csv.ParseError
	if errors.As(err, &broken) {
		line = t.lines + broken.StartLine
		t.again(at, line)
		return nil, line, broken.Err
	}
	if err != nil {
		return nil, 0, err
	}
	first, _ := t.in.FieldPos(0)
	line = t.lines + first
	return &tableRow{t: t, fields: fields, at: at, line: line}, line, nil
}

// again reads on behind the first line of a row that begins after at.
func (t *table) again(at, line int) {
	end := at
	for blank := true; blank && end < len(t.all); { // the reader skips blank lines
		text, _, _ := bytes.Cut(t.all[end:], []byte("\n"))
		blank = len(bytes.TrimSuffix(text, []byte("\r"))) == 0
		end = min(end+len(text)+1, len(t.all))
	}
	t.from(end, line)
}

// A tableRow is one row.
type tableRow struct {
	t        *table
	fields   []string
	at, line int
}

// check refuses a row that has other columns than the header.
func (r *tableRow) check() error {
	if len(r.fields) == len(r.t.header) {
		return nil
	}
	if slices.ContainsFunc(r.fields, broken) {
		r.t.again(r.at, r.line)
	}
	return fmt.Errorf("%d columns, not %d", len(r.fields), len(r.t.header))
}

// get returns a value; "" if there is no such column. One of several lines is no value of
// ours, so the lines behind the first one are read as rows of their own.
func (r *tableRow) get(column string) string {
	i := slices.Index(r.t.header, column)
	if i < 0 {
		return ""
	}
	text := strings.TrimSpace(r.fields[i])
	if broken(text) {
		r.t.again(r.at, r.line)
	}
	return text
}

func broken(text string) bool { return strings.Contains(text, "\n") }

// rows reads the rows of a table; those that cannot be read are refused.
func (r *reader) rows(file string, in *table, do func(line int, get func(string) string) error) {
	for {
		row, line, err := in.next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = row.check()
		}
		if err == nil {
			err = do(line, row.get)
		}
		if err != nil {
			r.refuse(file, line, err)
		}
	}
}
