package swarmbus_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// rowsOf returns the row of each package that a drawing names, from the top. A line that
// begins with a blank belongs to the row above it; a line with an arrow is between two rows.
func rowsOf(drawing string, isPackage func(string) bool) map[string]int {
	rows, row := map[string]int{}, 0
	for line := range strings.Lines(drawing) {
		if strings.Contains(line, "│") {
			row++
			continue
		}
		for _, word := range strings.Fields(line) {
			if isPackage(word) {
				rows[word] = row
			}
		}
	}
	return rows
}

// rowOf returns the row of a package: that of itself or of the directory that it is below.
func rowOf(rows map[string]int, pkg string) (row int, ok bool) {
	for dir := pkg; ; {
		if row, ok = rows[dir]; ok {
			return row, true
		}
		up := strings.LastIndexByte(dir, '/')
		if up < 0 {
			return 0, false
		}
		dir = dir[:up]
	}
}

func TestDrawingHasEveryPackageAndNoImportPointsUp(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, drawing, _ := strings.Cut(string(text), "```text\n")
	drawing, _, _ = strings.Cut(drawing, "```")
	rows := rowsOf(drawing, func(word string) bool {
		info, err := os.Stat(word)
		return err == nil && info.IsDir()
	})
	list := []string{"list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./..."}
	for _, module := range own {
		list = append(list, "./"+module+"/...")
	}
	printed, err := exec.CommandContext(t.Context(), "go", list...).Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(printed)) {
		of := strings.Fields(strings.ReplaceAll(line, module+"/", ""))
		pkg := of[0]
		if pkg == module || strings.HasPrefix(pkg, "internal/") { // helpers have no row
			continue
		}
		row, ok := rowOf(rows, pkg)
		if !ok {
			t.Errorf("the drawing lacks %s", pkg)
		}
		for _, imported := range of[1:] {
			if to, ok := rowOf(rows, imported); ok {
				checked++
				if to < row {
					t.Errorf("%s imports %s, which is drawn above it", pkg, imported)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d imports are drawn, which cannot be all", checked)
	}
}
