package documents_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/internal/documents"
)

const root = "../.."

// The outputs of examples are compared with the programs by go test; this compares them with
// the documents.
func TestDocumentsShowTheOutputsOfExamples(t *testing.T) {
	t.Parallel()
	output := regexp.MustCompile(`(?s)\n\t// Output:\n(.*?\n)}\n`)
	for _, b := range documents.Blocks(t, root, "") {
		if strings.HasPrefix(b.Of, "go run ./cmd/swarmbus ") || strings.HasPrefix(b.Of, "go run ./examples/review ") {
			continue // compared beside these programs
		}
		code, err := os.ReadFile(root + "/" + b.Of)
		if err != nil {
			t.Fatalf("%s: %v", b.File, err)
		}
		m := output.FindSubmatch(code)
		if m == nil {
			t.Errorf("%s: %s has no example with an output", b.File, b.Of)
			continue
		}
		printed := strings.ReplaceAll(strings.ReplaceAll(string(m[1]), "\t// ", ""), "\t//", "")
		if missing := documents.Missing(b.Text, printed); missing != "" {
			t.Errorf("%s: %s does not print, where the document has it:\n%s", b.File, b.Of, missing)
		}
	}
}

func TestLineThatIsNotPrintedIsMissed(t *testing.T) {
	t.Parallel()
	const printed = "a\nb\nc\n"
	for document, want := range map[string]string{
		"a\nb\nc\n": "", "a\n…\nc\n": "", "b\na\n": "a", "d\n": "d", "a\na\n": "a",
	} {
		if got := documents.Missing(document, printed); got != want {
			t.Errorf("%q: got %q, want %q", document, got, want)
		}
	}
}
