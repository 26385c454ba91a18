package votes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/internal/votes"
)

// A mistake is a file with something wrong in it, and what is said of that. The votes in
// it are that of ann, in the first line, and that of zoe, in the last one.
type mistake struct {
	from, file, text string
	want             []string
}

func studio(parts ...string) string {
	all := []string{`[{"id":1,"annotations":[{"completed_by":"ann","result":[` + region + `]}]}`}
	all = append(all, parts...)
	return strings.Join(append(all, `{"id":1,"annotations":[{"completed_by":"zoe","result":[`+region+`]}]}]`), ",\n")
}

func argilla(parts ...string) string {
	all := []string{`[{"id":"1","responses":{"q":[{"value":"a","user_id":"ann"}]}}`}
	all = append(all, parts...)
	return strings.Join(append(all, `{"id":"1","responses":{"q":[{"value":"a","user_id":"zoe"}]}}]`), ",\n")
}

var mistakes = map[string]mistake{
	"csv": {votes.FromCSV, "v.csv", "label,voter,task,confidence\na,ann,1,1\na,,1,1\n,bob,1,1\na,bob,1,high\na,ann,1,1\na,bob\na,zoe,1,1\n", []string{
		"v.csv:3: voter: no voter", "v.csv:4: label: no label", `v.csv:5: confidence: confidence "high" is not in [0,1]`,
		`v.csv:6: voter: "ann" has voted on "1" before`, "v.csv:7: 2 columns, not 4",
	}},
	"jsonl": {votes.FromJSONLines, "v.jsonl", `{"task":1,"voter":"ann","label":true}
{"task":1,"voter":"bob","label":["a","b"]}
{"task":1,"voter":"bob"
[1]
{"task":1,"voter":"bob","label":"` + "\xff" + `"}

{"task":null,"voter":"bob","label":"a"}
{"task":1,"voter":"zoe","label":"a"}`, []string{
		"v.jsonl:2: label: a list, not one value", "v.jsonl:3: unexpected end of JSON input",
		"v.jsonl:4: a array where there must be another type", "v.jsonl:5: not UTF-8", "v.jsonl:7: task: no task",
	}},
	"label studio": {votes.FromLabelStudio, "s.json", studio(
		`{"annotations":[]}`,
		`7`,
		`{"id":2,"annotations":[3,{"completed_by":4,"result":[]},{"completed_by":4,"result":[{"type":"rectanglelabels"}]}]}`,
		`{"id":3,"annotations":[{"completed_by":4,"result":[{"from_name":"q","type":"choices","value":{"choices":["a","b"]}}]}]}`,
		`{"id":4,"annotations":[{"completed_by":4,"result":[`+region+","+region+`]}]}`,
		`{"id":5,"annotations":[{"result":[`+region+`]}]}`,
	), []string{
		"s.json:2: id: a task has an id", "s.json:3: a number where there must be another type",
		"s.json:4: annotations[0]: a number where there must be another type",
		"s.json:4: annotations[1].result: no choice, rating, number or pair for the question",
		`s.json:4: annotations[2].result: no choice, rating, number or pair for the question: only "rectanglelabels"`,
		"s.json:5: annotations[0].result[0].value.choices: 2 labels; a vote has one",
		"s.json:6: annotations[0].result[1].value.choices: a second label of the same annotation",
		"s.json:7: annotations[0].completed_by: no voter",
	}},
	"argilla": {votes.FromArgilla, "r.json", argilla(
		`{"id":"2","responses":{"q":[{"value":["a","b"],"user_id":"u"},{"value":"a"},"x"]}}`,
		`{"id":{},"responses":{}}`,
		`{"id":"2","responses":[]}`,
	), []string{
		"r.json:2: responses.q[0].value: a list, not one value", "r.json:2: responses.q[1].user_id: no voter",
		"r.json:2: responses.q[2]: a string where there must be another type", "r.json:3: id: an object, not one value",
		"r.json:4: a array in responses where there must be another type",
	}},
}

func TestInvalidVotesAreRefusedByFileLineAndFieldAndOthersKept(t *testing.T) {
	t.Parallel()
	for name, m := range mistakes {
		im, err := votes.NewImport("set", &votes.Options{From: m.from})
		if err != nil {
			t.Fatal(err)
		}
		if err := im.Read(m.file, strings.NewReader(m.text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		set, refused := im.Set()
		var said []string
		for _, r := range refused {
			said = append(said, r.Error())
		}
		if diff := cmp.Diff(m.want, said); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(set.Tasks) != 1 || len(set.Tasks[0].Votes) != 2 || set.Tasks[0].Votes[1].Voter != "zoe" {
			t.Errorf("%s: the good votes are not those that are there: %+v", name, set.Tasks)
		}
	}
}

// read reads one file, and returns who votes, what was refused and why reading stopped.
func read(t *testing.T, o votes.Options, text string) (cast []string, said []string, err error) {
	t.Helper()
	im, err := votes.NewImport("set", &o)
	if err != nil {
		t.Fatal(err)
	}
	err = im.Read("f", strings.NewReader(text))
	set, refused := im.Set()
	for _, task := range set.Tasks {
		for _, v := range task.Votes {
			cast = append(cast, task.ID+" "+v.Voter+" "+v.Label)
		}
	}
	for _, r := range refused {
		said = append(said, r.Error())
	}
	return cast, said, err
}

func TestAStrayQuoteCostsNoOtherRow(t *testing.T) {
	t.Parallel()
	const quote = `extraneous or missing " in quoted-field`
	for name, c := range map[string]struct {
		text       string
		cast, said []string
	}{
		"that never ends":        {"t1,ada,\"yes\nt1,bob,yes\n\nt2,cy,yes\n", []string{"t1 bob yes", "t2 cy yes"}, []string{"f:2: " + quote}},
		"behind blank lines":     {"\n\r\nt1,ada,\"yes\r\nt1,bob,yes\r\n", []string{"t1 bob yes"}, []string{"f:4: " + quote}},
		"in a later row, too":    {"t1,ada,\"yes\nt1,bob,yes\nt1,cy,\"yes\nt1,dan,yes\n", []string{"t1 bob yes", "t1 dan yes"}, []string{"f:2: " + quote, "f:4: " + quote}},
		"that a later row ends":  {"t1,ada,\"yes\nt1,bob,yes\nt1,cy,yes\"\nt1,dan,yes\n", []string{"t1 bob yes", "t1 dan yes"}, []string{`f:2: label: label "yes\nt1,bob,yes\nt1,cy,yes" has a character that does not print`, `f:4: bare " in non-quoted-field`}},
		"before other columns":   {"t1,\"ada,yes\nt1,bob,yes\nt1,\"\"\nt1,dan,yes\n", []string{"t1 bob yes", "t1 dan yes"}, []string{"f:2: " + quote, "f:4: 2 columns, not 3"}},
		"that hides two columns": {"t1,ada,\"yes\nt1,bob,yes\nt1,cy,\",yes\nt1,dan,yes\n", []string{"t1 bob yes", "t1 dan yes"}, []string{"f:2: 4 columns, not 3", "f:4: " + quote}},
	} {
		cast, said, err := read(t, votes.Options{From: votes.FromCSV}, "task,voter,label\n"+c.text)
		if err != nil || !slices.Equal(cast, c.cast) || !slices.Equal(said, c.said) {
			t.Errorf("%s: %v: read %q, refused %q", name, err, cast, said)
		}
	}
}

func TestAStrayQuoteInAGroupIsRefusedAndCostsNoOtherRow(t *testing.T) {
	t.Parallel()
	cast, said, err := read(t, votes.Options{From: votes.FromCSV}, "task,voter,label,group\nt1,ada,yes,\"g\nt1,bob,yes,h\nt1,cy,yes,g\"\nt1,dan,yes,g\n")
	if err != nil || !slices.Equal(cast, []string{"t1 bob yes", "t1 dan yes"}) || len(said) != 2 || !strings.HasPrefix(said[0], "f:2: group: ") {
		t.Errorf("%v: read %q, refused %q", err, cast, said)
	}
}

// Lines of a text that is none of ours are no votes, whatever becomes of their row.
func TestATextOfSeveralLinesCastsNoVotes(t *testing.T) {
	t.Parallel()
	rows := "task,voter,label,comment\nt1,ada,yes,\"a\nt1,bob,no,x\nb\"\nt1,ada,yes,\"twice\nt1,cy,no,x\n\"\nt2,ada,yes,\n"
	cast, said, err := read(t, votes.Options{From: votes.FromCSV}, rows)
	if err != nil || !slices.Equal(cast, []string{"t1 ada yes", "t2 ada yes"}) || !slices.Equal(said, []string{`f:5: voter: "ada" has voted on "t1" before`}) {
		t.Errorf("%v: read %q, refused %q", err, cast, said)
	}
}

func TestSamplesThatCannotVoteAreRefused(t *testing.T) {
	t.Parallel()
	im, err := votes.NewImport("set", &votes.Options{From: votes.FromLMEval})
	if err != nil {
		t.Fatal(err)
	}
	text := aSample + `
{"doc_id":1,"filter":"none","filtered_resps":[]}
{"filter":"none"}
{"doc_id":2,"filter":"none","filtered_resps":[["a","b"]]}
{"doc_id":3,"filter":"none","filtered_resps":[["-inf","False"],["-inf","False"]]}
{"doc_id":4,"target":"18","filter":"none","filtered_resps":["18"]}
`
	if err := im.Read("m/samples_t_2026-01-02T03-04-05.6.jsonl", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	if err := im.Read("n/samples_t.jsonl", strings.NewReader(strings.Replace(aSample, `"h"`, `"other"`, 1))); err != nil {
		t.Fatal(err)
	}
	set, refused := im.Set()
	var said []string
	for _, r := range refused {
		said = append(said, strings.TrimPrefix(r.Error(), "m/samples_t_2026-01-02T03-04-05.6.jsonl"))
	}
	want := []string{
		`:1: target: "1" is the text of one choice and the number of another`,
		":2: filtered_resps: no answer", ":3: doc_id: a sample has the id of its document", ":4: filtered_resps: 2 answers; choose a filter that takes one",
		":5: filtered_resps: log-likelihoods that are not finite",
		`n/samples_t.jsonl:1: doc_hash: another document than "t/0" had before`,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	if len(set.Tasks) != 2 || set.Tasks[0].Votes[0].Label != "1" || set.Tasks[1].Truth != "18" {
		t.Errorf("got %+v", set.Tasks)
	}
	if err := im.Read("samples_t.jsonl", strings.NewReader("")); err == nil {
		t.Error("samples of no model are read")
	}
}

func TestTruncatedArrayKeepsItsEarlierVotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		studio(`{"id":2,"annotations":[}`):              "s.json:2: '}' closes what is not open; the rest of the file was not read",
		strings.TrimSuffix(studio(), "]"):               "s.json:2: the array does not end",
		`{"id":1}`:                                      "s.json:1: not an array of JSON",
		studio(`{"id":2,"annotations":[],"x":"` + "\n"): "s.json:2: a string that does not end in its line",
	} {
		im, err := votes.NewImport("set", &votes.Options{From: votes.FromLabelStudio})
		if err != nil {
			t.Fatal(err)
		}
		err = im.Read("s.json", strings.NewReader(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if set, _ := im.Set(); text[0] == '[' && (len(set.Tasks) != 1 || len(set.Tasks[0].Votes) == 0) {
			t.Errorf("%s: the votes before it are lost", want)
		}
	}
}

func TestModelsThatAreSureBeyondAllBoundsAreRefused(t *testing.T) {
	t.Parallel()
	part := func(score string) string {
		return `{"id":1,"predictions":[{"model_version":"m","score":` + score + `,"result":[` + region + `]}]}`
	}
	for _, score := range []string{"1.01", "-0.01"} {
		cast, said, err := read(t, votes.Options{From: votes.FromLabelStudio, Models: true}, studio(part(score)))
		if err != nil || len(cast) != 2 || !slices.Equal(said, []string{"f:2: predictions[0].score: " + score + " is not in [0,1]"}) {
			t.Errorf("%s: %v: read %q, refused %q", score, err, cast, said)
		}
	}
	if cast, said, err := read(t, votes.Options{From: votes.FromLabelStudio, Models: true}, studio(part("1"))); err != nil || len(cast) != 3 || said != nil {
		t.Errorf("1: %v: read %q, refused %q", err, cast, said)
	}
}

func TestAColumnThatIsNamedMustBeThere(t *testing.T) {
	t.Parallel()
	_, _, err := read(t, votes.Options{From: votes.FromCSV, Columns: map[string]string{"confidence": "sure"}}, "task,voter,label\nt1,ada,yes\n")
	if want := `f:1: no column "sure" for the confidence; `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAnItemThatIsNoJSONCostsNoOther(t *testing.T) {
	t.Parallel()
	cast, said, err := read(t, votes.Options{From: votes.FromLabelStudio}, studio(`{"id":2,"predictions":[{"score":NaN}]}`))
	if err != nil || !slices.Equal(cast, []string{"1 ann a", "1 zoe a"}) || len(said) != 1 || !strings.HasPrefix(said[0], "f:2: invalid character 'N'") {
		t.Errorf("%v: read %q, refused %q", err, cast, said)
	}
}

func TestOptionsOfImportsAreRefusedByName(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]votes.Options{
		`format "parquet"`:      {From: "parquet"},
		`no votes have a "x"`:   {From: votes.FromCSV, Columns: map[string]string{"x": "y"}},
		"argilla has fields of": {From: votes.FromArgilla, Columns: theirs},
	} {
		if _, err := votes.NewImport("set", &o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for text, want := range map[string]string{
		"":                         "v.csv:1: no header",
		"task,voter,text\n":        `v.csv:1: no column "answer" for the label`,
		"task,voter,label\n":       `v.csv:1: no column "answer" for the label`,
		"task,voter,answer,task\n": `v.csv:1: 2 columns are called "task"`,
	} {
		im, err := votes.NewImport("set", &votes.Options{From: votes.FromCSV, Columns: map[string]string{"label": "answer"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := im.Read("v.csv", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzImportNeverPanicsAndRefusesInALine(f *testing.F) {
	for i, from := range votes.Formats() {
		for _, m := range mistakes {
			if m.from == from {
				f.Add(uint8(i), m.text)
			}
		}
	}
	f.Add(uint8(4), aSample)
	f.Fuzz(func(t *testing.T, format uint8, text string) {
		im, err := votes.NewImport("set", &votes.Options{From: votes.Formats()[int(format)%len(votes.Formats())], Models: true})
		if err != nil {
			t.Fatal(err)
		}
		_ = im.Read("m/samples_t.jsonl", strings.NewReader(text))
		set, refused := im.Set()
		for _, r := range refused {
			if strings.ContainsAny(r.Problem, "\n\x1b") || len(r.Problem) > 300 {
				t.Errorf("refused in more than a line: %q", r)
			}
		}
		for _, task := range set.Tasks {
			voters := map[string]bool{}
			for _, v := range task.Votes {
				if v.Label == "" || voters[v.Voter] || !(v.Confidence >= 0 && v.Confidence <= 1) {
					t.Errorf("accepted %+v", v)
				}
				voters[v.Voter] = true
			}
		}
	})
}
