package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/journal/journaltest"
)

func view(t testing.TB, path string) *journal.View {
	t.Helper()
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAViewFollowsAWriterThroughDrops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, nil)
	defer j.Close()
	all := journaltest.Sample(60)
	if _, err := j.Append(all[:20]...); err != nil {
		t.Fatal(err)
	}
	next := 0
	for got, err := range view(t, path).Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if problem := journaltest.Differ(got, all[next], uint64(next)+1); problem != "" {
			t.Fatal(problem)
		}
		if next++; next == len(all) {
			break
		}
		if next%20 == 0 {
			if err := j.Drop(uint64(next)-5, []byte("state")); err != nil {
				t.Fatal(err)
			}
			if _, err := j.Append(all[next : next+20]...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s, err := view(t, path).Snapshot(); err != nil || s.Through != 35 || string(s.State) != "state" {
		t.Errorf("snapshot %+v, %v", s, err)
	}
	var dropped *journal.DroppedError
	for _, err := range view(t, path).Read(3) {
		if !errors.As(err, &dropped) {
			t.Errorf("got %v", err)
		}
	}
}

func TestViewOfATornFileReadsWholeRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, nil)
	if _, err := j.Append(journaltest.Sample(5)...); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(path)
	const seal, last = 68, 1 // bytes
	if err := os.Truncate(path, info.Size()-seal-last); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range view(t, path).Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if after, _ := os.Stat(path); n != 4 || after.Size() != info.Size()-seal-last {
		t.Errorf("read %d records, and the file has %d bytes", n, after.Size())
	}
}

func TestAViewGoesOnWhereATornRecordWasCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	filled(t, path, 5)
	info, _ := os.Stat(path)
	if err := os.Truncate(path, info.Size()-68-1); err != nil {
		t.Fatal(err)
	}
	all := journaltest.Sample(9)
	n := 0
	for got, err := range view(t, path).Follow(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if problem := journaltest.Differ(got, all[n], uint64(n)+1); problem != "" {
			t.Fatal(problem)
		}
		if n++; n == 4 {
			all[4] = all[8] // another record, in the same place
			j := open(t, path, nil)
			if _, err := j.Append(all[4:8]...); err != nil {
				t.Fatal(err)
			}
			defer j.Close()
		}
		if n == 8 {
			break
		}
	}
}

func TestAViewOfAFileThatBecameShorterSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	filled(t, path, 5)
	var last error
	for r, err := range view(t, path).Follow(t.Context(), 0) {
		last = err
		if r.Seq == 5 {
			if err := os.Truncate(path, 150); err != nil {
				t.Fatal(err)
			}
		}
	}
	var corrupt *journal.CorruptError
	if !errors.As(last, &corrupt) {
		t.Errorf("got %v", last)
	}
}

func TestVerifyDescribesTheJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	filled(t, path, 6) // at seconds 0 to 5, of which the second has no time
	s := verify(t, path)
	if s.First != 1 || s.Last != 6 || s.Types[3] != 1 || len(s.Types) != 6 || s.Begin.Unix() != 0 || s.End.Unix() != 5 || s.Torn != 0 {
		t.Errorf("%+v", s)
	}
}

func TestAViewOfNothingSaysSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	if _, err := journal.NewView(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, filepath.Dir(path)} {
		var format *journal.FormatError
		if _, err := journal.NewView(path); !errors.As(err, &format) {
			t.Errorf("got %v", err)
		}
		if _, err := journal.Open(path, nil); !errors.As(err, &format) {
			t.Errorf("got %v", err)
		}
	}
}
