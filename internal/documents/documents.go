// Package documents finds the output that documents show, for the tests that compare it with
// what prints it.
package documents

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A Block is output that a document shows.
type Block struct {
	File string // the document
	Of   string // what prints it: "go run …" after "shows:", a file with an Example after "output:"
	Slow bool   // it takes long
	Text string
}

var block = regexp.MustCompile("(?s)<!-- (shows|output)(, slowly)?: (.+?) -->\n```text\n(.+?)```")

// Blocks returns the blocks of README.md and docs below the root of the repository that are
// printed by what begins so.
func Blocks(t *testing.T, root, by string) (all []Block) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[3], by) {
				all = append(all, Block{file, m[3], m[2] != "", m[4]})
			}
		}
	}
	if len(all) == 0 {
		t.Errorf("no document shows what %q prints", by)
	}
	return all
}

// Missing returns the first line of a document's output that what is printed lacks after the
// line before it, "" if it has all. An ellipsis stands for lines left out.
func Missing(shown, printed string) string {
	rest := strings.Split(printed, "\n")
	for line := range strings.Lines(shown) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line == "…" {
			continue
		}
		for len(rest) > 0 && rest[0] != line {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return line
		}
		rest = rest[1:]
	}
	return ""
}
