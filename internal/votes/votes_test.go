package votes_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/internal/votes"
)

func dir(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestSetIsReadInOrderWithItsTruth(t *testing.T) {
	got, refused, err := votes.Read(dir(map[string]string{
		"votes.csv": "task,voter,label,confidence,group\nb,v,1,0.7,g\na,w,0,,\nb,w,-2,1,\n",
		"truth.csv": "task,label\na,0\n",
	}), "set")
	if err != nil || refused != nil {
		t.Fatal(err, refused)
	}
	want := &votes.Set{Name: "set", Tasks: []*votes.Task{
		{ID: "b", Votes: []votes.Vote{{"v", "1", 0.7, "g", 2}, {"w", "-2", 1, "", 4}}},
		{ID: "a", Votes: []votes.Vote{{"w", "0", 1, "", 3}}, Truth: "0"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBadRowsAreRefusedWithTheirLineAndNothingElseIsLost(t *testing.T) {
	got, refused, err := votes.Read(dir(map[string]string{
		"votes.csv": "task,voter,label,confidence\n" +
			"a,v,1,0.5\n" + // line 2: good
			"a,v\n" +
			",v,1,1\n" +
			"a,,1,1\n" +
			"a,v,x,1\n" +
			"a,v,01,1\n" +
			"a,v,1,NaN\n" +
			"a,v,1,1.01\n" +
			"a,\"v,1,1\nb\"x,v,1,1\n" +
			"c,w,1,1\n", // swallowed by nothing: good
		"truth.csv": "task,label\na,1\nnobody,1\na,2\na\na,one\n",
	}), "set")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range refused {
		said = append(said, r.Error())
	}
	want := []string{
		"set/votes.csv:3: 2 columns, not 4",
		"set/votes.csv:4: no task",
		"set/votes.csv:5: no voter",
		`set/votes.csv:6: label "x" is not an integer`,
		`set/votes.csv:7: label "01" is not an integer`,
		`set/votes.csv:8: confidence "NaN" is not in [0,1]`,
		`set/votes.csv:9: confidence "1.01" is not in [0,1]`,
		`set/votes.csv:11: extraneous or missing " in quoted-field`,
		`set/truth.csv:3: task "nobody" has no votes`,
		`set/truth.csv:4: task "a" has another truth, 1`,
		"set/truth.csv:5: 1 columns, not 2",
		`set/truth.csv:6: label "one" is not an integer`,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	if len(got.Tasks) != 2 || len(got.Tasks[0].Votes) != 1 || len(got.Tasks[1].Votes) != 1 {
		t.Errorf("the good rows are not all there: %+v", got.Tasks)
	}
}

func TestSetWithoutVotesOrWithAnotherHeaderIsAnError(t *testing.T) {
	if _, _, err := votes.Read(dir(nil), ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no votes.csv: got %v", err)
	}
	for _, text := range []string{"", "a,b,c\n", "task,voter\n"} {
		if _, _, err := votes.Read(dir(map[string]string{"votes.csv": text}), ""); err == nil || !strings.Contains(err.Error(), "columns") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestFindReturnsSetsAndTheDirectoryItself(t *testing.T) {
	got, err := votes.Find(dir(map[string]string{"b/votes.csv": "", "a/votes.csv": "", "c/x": "", "votes.csv": ""}))
	if diff := cmp.Diff([]string{".", "a", "b"}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func FuzzReadNeverPanicsAndKeepsLabelsWhole(f *testing.F) {
	f.Add("task,voter,label\na,v,1\n")
	f.Add("task,voter,label,confidence\n\"a\nb\",v,1,0.5\nx")
	f.Fuzz(func(t *testing.T, text string) {
		set, _, err := votes.Read(dir(map[string]string{"votes.csv": text}), "")
		if err != nil {
			return
		}
		for _, task := range set.Tasks {
			for _, v := range task.Votes {
				if task.ID == "" || v.Voter == "" || v.Label == "" || !(v.Confidence >= 0 && v.Confidence <= 1) {
					t.Errorf("accepted %q %+v", task.ID, v)
				}
			}
		}
	})
}
