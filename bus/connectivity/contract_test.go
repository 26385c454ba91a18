package connectivity_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The table in doc.go names tests that there are.
func TestTheContractNamesTests(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests []byte
	files, _ := filepath.Glob("*_test.go")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, data...)
	}
	named := regexp.MustCompile(`\bTest\w+`).FindAllString(string(doc), -1)
	if len(named) < 40 {
		t.Errorf("%d tests named", len(named))
	}
	for _, name := range named {
		if !regexp.MustCompile(`func ` + name + `\(`).Match(tests) {
			t.Errorf("no test %s", name)
		}
	}
}
