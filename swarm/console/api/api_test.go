package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

var (
	update   = flag.Bool("update", false, "rewrite the descriptions, unless a client of the API breaks")
	breaking = flag.Bool("break", false, "with -update: rewrite them, even if it does")
)

func TestOpenAPIIsTheOneCheckedIn(t *testing.T) {
	t.Parallel()
	text, err := api.Describe("devel")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "openapi.json", text)
}

func TestFrameSchemaIsTheOneCheckedIn(t *testing.T) {
	t.Parallel()
	text, err := api.FrameSchema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "frame.schema.json", text)
}

// golden compares JSON with that of a file.
func golden(t *testing.T, file string, text []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if *update && file == "openapi.json" && !*breaking {
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if lost := breaks(t, before, text); len(lost) > 0 {
			t.Fatalf("a client may rely on it: %q", lost)
		}
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the API differs from %s: run go test ./swarm/console/api -update and look at the diff", file)
	}
}
