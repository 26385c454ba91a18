package votes

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// column is what the file calls what a vote has.
func (im *Import) column(what string) string { return cmp.Or(im.options.Columns[what], what) }

func (im *Import) csv(file string, r io.Reader) error {
	in, err := newTable(r, im.options.Delimiter)
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

// discarded reports whether a person has answered nothing, as Prodigy writes it.
func discarded(object map[string]value) bool {
	_, prodigy := object["_input_hash"]
	answer, _ := object["answer"].scalar() // others are no such answer
	return prodigy && (answer == "reject" || answer == "ignore")
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

// lines reads objects, on lines or in an array.
func (im *Import) lines(file string, r io.Reader) error {
	in := bufio.NewReader(r)
	each := eachLine
	if begins, _ := in.Peek(1); string(begins) == "[" {
		each = func(r io.Reader, do func(int, []byte) error) error { return im.eachItem(file, r, do) }
	}
	return each(in, func(line int, text []byte) error {
		var object map[string]value
		if err := decode(text, &object); err != nil {
			im.deny(file, line, "", err)
			return nil
		}
		var wrong error
		get := func(column string) string {
			of := object[column]
			if one := of.list(); len(one) == 1 { // as where several labels are allowed
				of = one[0]
			}
			text, err := of.scalar()
			if err != nil && wrong == nil {
				wrong = err
				im.deny(file, line, column, err)
			}
			return text
		}
		for _, what := range columns {
			get(im.column(what))
		}
		if wrong == nil && !discarded(object) {
			im.row(file, line, get)
		}
		return nil
	})
}
