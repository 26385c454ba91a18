package votes_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

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
		{ID: "b", Votes: []votes.Vote{{"v", "1", 0.7, "g", 2, ""}, {"w", "-2", 1, "", 4, ""}}},
		{ID: "a", Votes: []votes.Vote{{"w", "0", 1, "", 3, ""}}, Truth: "0"},
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
			"a,v,\x01,1\n" +
			"a,v," + strings.Repeat("long", 100) + ",1\n" +
			"a,v,1,NaN\n" +
			"a,v,1,1.01\n" +
			"a,\"v,1,1\nb\"x,v,1,1\n" +
			"c,w,1,1\n", // swallowed by nothing: good
		"truth.csv": "task,label\na,1\nnobody,1\na,2\na\na, \n",
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
		`set/votes.csv:6: label "\x01" has a character that does not print`,
		`set/votes.csv:7: label "` + strings.Repeat("long", 10) + `…" has 400 bytes, more than 256`,
		`set/votes.csv:8: confidence "NaN" is not in [0,1]`,
		`set/votes.csv:9: confidence "1.01" is not in [0,1]`,
		`set/votes.csv:10: extraneous or missing " in quoted-field`,
		`set/votes.csv:11: bare " in non-quoted-field`,
		`set/truth.csv:3: task "nobody" has no votes`,
		`set/truth.csv:4: task "a" has another truth, "1"`,
		"set/truth.csv:5: 1 columns, not 2",
		"set/truth.csv:6: no label",
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

func TestLabelsAreNames(t *testing.T) {
	got, refused, err := votes.Read(dir(map[string]string{
		"votes.csv": "\ufefftask,voter,label\nWhich animal?,Ada, cat \nWhich animal?,Bob,\"dog, big\"\n",
		"truth.csv": "task,label\nWhich animal?,cat\n",
	}), "set")
	if err != nil || refused != nil {
		t.Fatal(err, refused)
	}
	want := []*votes.Task{{ID: "Which animal?", Truth: "cat", Votes: []votes.Vote{{"Ada", "cat", 1, "", 2, ""}, {"Bob", "dog, big", 1, "", 3, ""}}}}
	if diff := cmp.Diff(want, got.Tasks); diff != "" {
		t.Error(diff)
	}
}

func TestLabelOfFiveMegabytesIsRefusedInOneShortLine(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	set, refused, err := votes.Read(dir(map[string]string{"votes.csv": "task,voter,label\na,v," + long + "\na,w,1\n"}), "set")
	if err != nil || len(refused) != 1 || len(set.Tasks[0].Votes) != 1 {
		t.Fatal(err, len(refused))
	}
	if line := refused[0].Error(); len(line) > 120 || strings.Contains(line, "\n") || !strings.Contains(line, "5242880 bytes") {
		t.Errorf("%d bytes: %.200s", len(line), line)
	}
}

func FuzzReadNeverPanicsAndKeepsWhatItAcceptsWhole(f *testing.F) {
	for _, seed := range [][2]string{
		{"task,voter,label\na,v,1\n", "task,label\na,1\n"},
		{"task,voter,label,confidence\n\"a\nb\",v,1,0.5\nx", "task,label\na\"b,1\n"},
		{"task,voter,label\na\"b,v,1\n", "\""},
		{"\"", "task,label\n\"a,1"},
		{"\ufefftask,voter,label,group\n,,,\n\x00,\xff, ,\n", ""},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, cast, truth string) {
		set, refused, err := votes.Read(dir(map[string]string{"votes.csv": cast, "truth.csv": truth}), "")
		if err != nil {
			return
		}
		for _, r := range refused {
			if len(r.Error()) > 300 || strings.ContainsAny(r.Error(), "\n\r\x1b") {
				t.Errorf("refused in more than a line: %q", r)
			}
		}
		whole := func(name string) bool {
			return name != "" && len(name) <= 256 && utf8.ValidString(name) && name == strings.TrimSpace(name) && !strings.ContainsAny(name, "\n\r\x1b\x00")
		}
		for _, task := range set.Tasks {
			if task.Truth != "" && !whole(task.Truth) || len(task.Votes) == 0 {
				t.Errorf("accepted %q with truth %q and %d votes", task.ID, task.Truth, len(task.Votes))
			}
			for _, v := range task.Votes {
				if !whole(task.ID) || !whole(v.Voter) || !whole(v.Label) || !(v.Confidence >= 0 && v.Confidence <= 1) {
					t.Errorf("accepted %q %+v", task.ID, v)
				}
			}
		}
	})
}
