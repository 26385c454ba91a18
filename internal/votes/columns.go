package votes

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// column is what the file calls what a vote has.
func (im *Import) column(what string) string { return cmp.Or(im.options.Columns[what], what) }

func (im *Import) csv(file string, r io.Reader) error {
	in, err := newTable(r)
	if err != nil {
		return fmt.Errorf("%s:1: no header: %w", file, err)
	}
	header := in.header
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	for _, what := range columns {
		column := im.column(what)
		_, mapped := im.options.Columns[what]
		switch n := count(header, column); {
		case n > 1:
			return fmt.Errorf("%s:1: %d columns are called %s", file, n, clip(column))
		case n == 0 && (mapped || slices.Index(columns, what) < 3):
			return fmt.Errorf("%s:1: no column %s for the %s; there are %s", file, clip(column), what, clip(strings.Join(header, ",")))
		}
	}
	im.rows(file, in, func(line int, get func(string) string) error {
		im.row(file, line, get)
		return nil
	})
	return nil
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

// row takes in a vote whose values are found by the file's own names.
func (im *Import) row(file string, line int, get func(string) string) {
	of := func(what string) field { return field{im.column(what), get(im.column(what))} }
	e := &entry{file: file, line: line, task: of("task"), voter: of("voter"), label: of("label"), confidence: 1, group: of("group").value}
	if text := of("confidence"); text.value != "" {
		var err error
		if e.confidence, err = probability(text.value); err != nil {
			im.deny(file, line, text.name, err)
			return
		}
	}
	if group := of("group"); group.value != "" {
		if err := name("group", group.value); err != nil {
			im.deny(file, line, group.name, err)
			return
		}
	}
	if truth := of("truth"); im.vote(e) && truth.value != "" {
		im.right(file, line, e.task.value, truth)
	}
}

func (im *Import) lines(file string, r io.Reader) error {
	return eachLine(r, func(line int, text []byte) error {
		var object map[string]value
		if err := decode(text, &object); err != nil {
			im.deny(file, line, "", err)
			return nil
		}
		var wrong error
		get := func(column string) string {
			text, err := object[column].scalar()
			if err != nil && wrong == nil {
				wrong = err
				im.deny(file, line, column, err)
			}
			return text
		}
		for _, what := range columns {
			get(im.column(what))
		}
		if wrong == nil {
			im.row(file, line, get)
		}
		return nil
	})
}
