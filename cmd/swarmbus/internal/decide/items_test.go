package decide

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

const foreign = "../../../../examples/votes/"

// decided runs decide on files of others and returns what it prints.
func decided(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	if got := cli.Run(t.Context(), New(), args, &out, &said); got != want {
		t.Fatalf("%v: status %d, want %d: %s", args, got, want, said.String())
	}
	return out.String(), said.String()
}

func TestDecidePrintsConsensusOfEachItemFromFilesOfOthers(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob(foreign + "lm-eval/*/samples_*.jsonl")
	if err != nil || len(samples) != 3 {
		t.Fatal(samples, err)
	}
	mapping := []string{"--map", "task=ticket,voter=annotator,label=answer,confidence=certainty"}
	topics := "refund delivery refund account delivery account"
	for want, args := range map[string][]string{
		topics:                        append([]string{"--from", "csv", foreign + "csv/tickets.csv"}, mapping...),
		topics + " ":                  append([]string{"--from", "jsonl", foreign + "csv/tickets.jsonl"}, mapping...),
		topics + "  ":                 {"--from", "labelstudio", foreign + "labelstudio/project-83.json"},
		topics + "   ":                {"--from", "argilla", foreign + "argilla/records.json"},
		"Oslo Lisbon Ottawa Canberra": append([]string{"--from", "lm-eval"}, samples...),
	} {
		table, _ := decided(t, cli.ExitDecided, args...)
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, row := range rows[1:] {
			labels = append(labels, row[3])
			if row[4] != "reached" || row[5] < "0.6" || row[5] > "1" {
				t.Errorf("%v: got %v", args, row)
			}
		}
		if got := strings.Join(labels, " "); got != strings.TrimSpace(want) {
			t.Errorf("%v: got %s", args, got)
		}
		lines, _ := decided(t, cli.ExitDecided, append(args, "--items", "json")...)
		var last item
		for line := range strings.Lines(lines) {
			if err := json.Unmarshal([]byte(line), &last); err != nil {
				t.Fatal(err)
			}
		}
		if end := rows[len(rows)-1]; last.Item != end[0] || last.Label != end[3] || share(last.Confidence) != end[5] || last.Reason != end[10] {
			t.Errorf("%v: JSON has %+v, CSV %v", args, last, end)
		}
	}
}

func TestDecideNamesUnreadableVotesAndCountsTheOthers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "votes.jsonl")
	text := `{"task":"a","voter":"ann","label":"x"}
{"task":"a","voter":"bob","label":[]}
{"task":"a","voter":"system","label":"x"}
{"task":"a","voter":"cyn","label":"x"}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said := decided(t, cli.ExitDecided, "--from", "jsonl", file)
	if !strings.Contains(out, "a,jsonl,default,x,reached,") {
		t.Errorf("got %s", out)
	}
	for _, want := range []string{"refused: " + file + ":2: label: a list, not one value\n", "refused: " + file + ":3: "} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said: %s", want, said)
		}
	}
	decided(t, cli.ExitError, "--from", "jsonl", "--strict", file)
	_, said = decided(t, cli.ExitUsage, "--from", "jsonl", "--votes", ".", file)
	if !strings.Contains(said, "one of --votes and --from") {
		t.Errorf("got %s", said)
	}
	decided(t, cli.ExitUsage, "--from", "parquet", file)
	decided(t, cli.ExitUsage, "--from", "csv")
}

func TestAnotherExportOfLabelStudioIsReadAsRows(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "min.json")
	if err := os.WriteFile(file, []byte(`[{"id":1,"sentiment":"pos","annotator":"ann"},{"id":1,"sentiment":"pos","annotator":"bob"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := decided(t, cli.ExitError, "--from", "labelstudio", file); !strings.Contains(said, "of JSON_MIN and CSV, --from jsonl and csv read the columns that --map names") {
		t.Errorf("got %s", said)
	}
	if text, _ := decided(t, cli.ExitDecided, "--from", "jsonl", "--map", "task=id,voter=annotator,label=sentiment", file); !strings.Contains(text, "1,jsonl,default,pos,reached") {
		t.Errorf("got %s", text)
	}
}

func TestDecideOnOneTaskOfOthersPrintsItsDecisionAndExitsByIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "votes.csv")
	if err := os.WriteFile(file, []byte("task,voter,label\na,ann,x\na,bob,y\nb,ann,x\nb,bob,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for task, status := range map[string]int{"a": cli.ExitNoConsensus, "b": cli.ExitDecided} {
		text, _ := decided(t, status, "--from", "csv", "--task", task, file)
		lines, _ := decided(t, status, "--from", "csv", "--task", task, "--json", file)
		if strings.Contains(text, "item,set,strategy") || !json.Valid([]byte(lines)) || !strings.Contains(lines, `"outcome"`) {
			t.Errorf("%s: got %s and %s", task, text, lines)
		}
	}
	lines, _ := decided(t, cli.ExitDecided, "--from", "csv", "--json", file)
	if strings.Count(lines, `"item":`) != 2 {
		t.Errorf("--json prints %s", lines)
	}
}
