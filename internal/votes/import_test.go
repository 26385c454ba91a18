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

const region = `{"from_name":"q","type":"choices","value":{"choices":["a"]}}`

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
