package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

// An equivalent is a line of a file on which mutants of some operators change
// nothing that a caller may rely on.
type equivalent struct {
	file      string
	operators []string // CONDITIONALS_BOUNDARY, or CONDITIONALS_BOUNDARY#2 for the second one on the line
	source    string   // the line's text, trimmed
	why       string
}

func (e *equivalent) String() string {
	return fmt.Sprintf("%s %s `%s`", e.file, strings.Join(e.operators, " "), e.source)
}

// covers reports whether m is in the list of equivalents. Lines are identified by
// their text, which stays when other lines move them.
func (e *equivalent) covers(m mutant) bool {
	return e.file == m.file && e.source == m.source &&
		(slices.Contains(e.operators, m.operator) || slices.Contains(e.operators, fmt.Sprintf("%s#%d", m.operator, m.nth)))
}

// readEquivalents reads paragraphs: a file and operators, then the lines they
// are on, indented by a tab, as often as needed; then the reason for all of
// them. Lines that begin with # are comments.
func readEquivalents(name string) (all []*equivalent, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []*equivalent // of this paragraph
	var head []string
	closed := func() error {
		if len(entries) > 0 && entries[0].why == "" {
			return fmt.Errorf("%s: no reason is given for %v", name, entries[0])
		}
		all, entries, head = append(all, entries...), nil, nil
		return nil
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			err = closed()
		case line[0] == '\t' && head == nil:
			err = fmt.Errorf("%s: no file is named above %q", name, line)
		case line[0] == '\t':
			entries = append(entries, &equivalent{file: head[0], operators: head[1:], source: strings.TrimSpace(line)})
		case isHead(line):
			head = strings.Fields(line)
		default:
			for _, e := range entries {
				e.why = strings.TrimSpace(e.why + " " + line)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return all, closed()
}

// isHead reports whether the line names a file and operators.
func isHead(line string) bool {
	words := strings.Fields(line)
	return len(words) > 1 && strings.HasSuffix(words[0], ".go") && words[1] == strings.ToUpper(words[1])
}
