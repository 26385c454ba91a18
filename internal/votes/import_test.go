package votes_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/internal/votes"
)

const examples = "../../examples/votes/"

var theirs = map[string]string{"task": "ticket", "voter": "annotator", "label": "answer", "confidence": "certainty"}

// imported reads files by their names, and those of the examples by a pattern.
func imported(t *testing.T, o votes.Options, files ...string) *votes.Set {
	t.Helper()
	im, err := votes.NewImport("set", &o)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range files {
		found, err := filepath.Glob(examples + pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range found {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := im.Read(name, f); err != nil {
				t.Fatal(err)
			}
		}
	}
	set, refused := im.Set()
	if len(refused) > 0 {
		t.Errorf("refused %v", refused)
	}
	return set
}

// cast returns who votes for what, without where that stands.
func cast(set *votes.Set) (all [][]string) {
	for _, task := range set.Tasks {
		var labels []string
		for _, v := range task.Votes {
			labels = append(labels, v.Label)
		}
		all = append(all, labels)
	}
	return all
}

// All of the examples but those of lm-eval are the same votes.
var tickets = [][]string{
	{"refund", "refund", "refund", "delivery"},
	{"delivery", "delivery", "refund", "delivery"},
	{"refund", "delivery", "refund", "refund"},
	{"account", "account", "account", "refund"},
	{"delivery", "delivery", "delivery", "delivery"},
	{"account", "account", "refund", "account"},
}

func TestVotesOfOthersAreReadFromEachFormat(t *testing.T) {
	t.Parallel()
	skipped := slices.Clone(tickets)
	skipped[1] = []string{"delivery", "delivery", "delivery"} // cy skipped this one
	for file, want := range map[string][][]string{"csv/tickets.csv": tickets, "csv/tickets.jsonl": tickets, "labelstudio/*.json": skipped, "argilla/*.json": tickets} {
		o := votes.Options{From: filepath.Base(filepath.Dir(file))}
		if o.From == votes.FromCSV {
			o.From, o.Columns = filepath.Ext(file)[1:], theirs
		}
		set := imported(t, o, file)
		if diff := cmp.Diff(want, cast(set)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if v := set.Tasks[0].Votes[1]; o.Columns != nil && (v.Voter != "bo" || v.Confidence != 0.8) {
			t.Errorf("%s: the second vote is %+v", file, v)
		}
	}
}

func TestLabelStudioHasTruthsAndModelsThatVoteIfAsked(t *testing.T) {
	t.Parallel()
	set := imported(t, votes.Options{From: votes.FromLabelStudio}, "labelstudio/*.json")
	if set.Tasks[0].Truth != "refund" || len(set.Tasks[0].Votes) != 4 {
		t.Errorf("a ground truth is the truth and no vote: %+v", set.Tasks[0])
	}
	if v := set.Tasks[0].Votes[0]; v.Voter != "ada@example.com" || v.Line != 2 {
		t.Errorf("got %+v", v)
	}
	for _, o := range []votes.Options{{From: votes.FromLabelStudio, Models: true}, {From: votes.FromArgilla, Models: true}} {
		task := imported(t, o, o.From+"/*.json").Tasks[0]
		if v := task.Votes[len(task.Votes)-1]; v.Voter != "topics-2" || v.Confidence != 0.55 || v.Label != "refund" {
			t.Errorf("%s: the model says %+v", o.From, v)
		}
	}
}

func TestSamplesVoteForTheLikeliestChoiceWithItsShare(t *testing.T) {
	t.Parallel()
	set := imported(t, votes.Options{From: votes.FromLMEval}, "lm-eval/*/*.jsonl")
	if len(set.Tasks) != 4 {
		t.Fatalf("%d tasks", len(set.Tasks))
	}
	task := set.Tasks[0]
	if task.ID != "capitals/0" || task.Truth != "Oslo" {
		t.Errorf("got %q, whose truth is %q", task.ID, task.Truth)
	}
	want := [][]string{{"Oslo", "Oslo", "Bergen"}, {"Lisbon", "Lisbon", "Lisbon"}, {"Ottawa", "Toronto", "Ottawa"}, {"Canberra", "Sydney", "Canberra"}}
	if diff := cmp.Diff(want, cast(set)); diff != "" {
		t.Error(diff)
	}
	// exp(-2.2) of exp(-4.1)+exp(-2.2)+exp(-6)
	if v := task.Votes[1]; v.Voter != "acme__small" || v.Confidence < 0.853 || v.Confidence > 0.854 {
		t.Errorf("got %+v", v)
	}
}

// A mistake is a file with something wrong in it, and what is said of that. The votes in
// it are that of ann, in the first line, and that of zoe, in the last one.
type mistake struct {
	from, file, text string
	want             []string
}

const region = `{"from_name":"q","type":"choices","value":{"choices":["a"]}}`

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
{"task":1,"voter":"bob","label":["a"]}
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

func TestWhatCannotBeReadIsRefusedByFileLineAndFieldAndNothingElseIsLost(t *testing.T) {
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

func TestAByteOrderMarkIsNoPartOfTheHeader(t *testing.T) {
	t.Parallel()
	cast, said, err := read(t, votes.Options{From: votes.FromCSV}, "\ufeff\"task\",voter,label\nt1,ada,yes\n")
	if err != nil || !slices.Equal(cast, []string{"t1 ada yes"}) || said != nil {
		t.Errorf("%v: read %q, refused %q", err, cast, said)
	}
}

func TestAnAnnotationWithoutTheQuestionSaysWhichItHas(t *testing.T) {
	t.Parallel()
	im, err := votes.NewImport("set", &votes.Options{From: votes.FromLabelStudio, Question: "nope"})
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Read("s.json", strings.NewReader(studio())); err != nil {
		t.Fatal(err)
	}
	_, refused := im.Set()
	if want := `s.json:1: annotations[0].result: no choice, rating, number or pair for the question "nope": there are "q"`; len(refused) != 2 || refused[0].Error() != want {
		t.Errorf("got %v, want %s", refused, want)
	}
}

const aSample = `{"doc_id":0,"target":"1","filter":"none","doc_hash":"h",` +
	`"arguments":{"gen_args_0":{"arg_0":"q","arg_1":" 1"},"gen_args_1":{"arg_0":"q","arg_1":" 2"}},"filtered_resps":[["-1","True"],["-2","False"]]}`

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

func TestSeveralQuestionsAreAmbiguousUnlessOneIsChosen(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		votes.FromLabelStudio: studio(`{"id":1,"annotations":[{"completed_by":"bob","result":[{"from_name":"other","type":"rating","value":{"rating":3}}]}]}`),
		votes.FromArgilla:     argilla(`{"id":"1","responses":{"other":[{"value":3,"user_id":"bob"}]}}`),
		votes.FromLMEval:      aSample + "\n" + strings.Replace(aSample, "none", "other", 1),
	}
	for from, text := range texts {
		for _, question := range []string{"", "other"} {
			im, err := votes.NewImport("set", &votes.Options{From: from, Question: question})
			if err != nil {
				t.Fatal(err)
			}
			err = im.Read("m/samples_t.jsonl", strings.NewReader(text))
			if got := errors.Is(err, votes.ErrAmbiguous); got != (question == "") {
				t.Errorf("%s, question %q: got %v", from, question, err)
			}
			if set, _ := im.Set(); question != "" && (len(set.Tasks) != 1 || len(set.Tasks[0].Votes) != 1) {
				t.Errorf("%s: got %+v", from, set.Tasks)
			}
		}
	}
}

func TestArrayThatBreaksOffKeepsWhatWasBefore(t *testing.T) {
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

func TestSuggestionsVoteWithoutResponses(t *testing.T) {
	t.Parallel()
	const only = `{"id":"1","responses":{},"suggestions":{"q":{"value":"a","agent":"m","score":0.5}}}`
	o := votes.Options{From: votes.FromArgilla, Models: true}
	cast, said, err := read(t, o, "["+only+`,{"id":"2","responses":{"q":[{"value":"b","user_id":"ann"}]}}]`)
	if err != nil || !slices.Equal(cast, []string{"1 m a", "2 ann b"}) || said != nil {
		t.Errorf("%v: read %q, refused %q", err, cast, said)
	}
	two := "[" + strings.Replace(only, `"suggestions":{`, `"suggestions":{"other":{"value":"c","agent":"m"},`, 1) + "]"
	_, _, err = read(t, o, two)
	if !errors.Is(err, votes.ErrAmbiguous) || !strings.Contains(err.Error(), `"other" and "q"`) {
		t.Errorf("two questions: got %v", err)
	}
	o.Question = "q"
	if cast, _, err := read(t, o, two); err != nil || !slices.Equal(cast, []string{"1 m a"}) {
		t.Errorf("a question: %v: read %q", err, cast)
	}
	o.Models, o.Question = false, ""
	if cast, _, err := read(t, o, two); err != nil || cast != nil {
		t.Errorf("without models: %v: read %q", err, cast)
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

func TestArraysAreReadToTheEndOfTheirFile(t *testing.T) {
	t.Parallel()
	const task = `[{"id":%d,"annotations":[{"completed_by":"ann","result":[` + region + `]}]}]`
	one, two := strings.Replace(task, "%d", "1", 1), strings.Replace(task, "%d", "2", 1)
	cast, said, err := read(t, votes.Options{From: votes.FromLabelStudio}, "\ufeff"+one+"\n"+two+"\n")
	if want := []string{"1 ann a", "2 ann a"}; err != nil || !slices.Equal(cast, want) || said != nil {
		t.Errorf("two arrays: %v: read %q, refused %q", err, cast, said)
	}
	cast, _, err = read(t, votes.Options{From: votes.FromLabelStudio}, one+"\n GARBAGE")
	if want := "f:2: text behind the array; the rest of the file was not read"; len(cast) != 1 || err == nil || err.Error() != want {
		t.Errorf("read %q, got %v, want %s", cast, err, want)
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
