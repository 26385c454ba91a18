package journal

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exportOf returns a journal of n records, some of them dropped, as JSON lines.
func exportOf(t testing.TB, n uint64) string {
	t.Helper()
	j := openOn(t, newMemDisk(), Options{})
	must(t, second(grow(j, n)))
	var lines strings.Builder
	must(t, Export(t.Context(), &lines, j))
	return lines.String()
}

// Every single operation fails in turn, or the power is lost at its end.
func TestAnImportIsWholeAndDurableOrNotThere(t *testing.T) {
	const n = 20
	lines := exportOf(t, n)
	counting := newMemDisk()
	must(t, importOn(counting, where, strings.NewReader(lines)))
	if last := wantWhole(t, openOn(t, counting.crash(), Options{}), n); last != n {
		t.Errorf("%d records survive, want %d", last, n)
	}
	for k := 1; k <= counting.ops; k++ {
		d := newMemDisk()
		d.fail = func(_ string, op int) error {
			if op == k {
				return errDisk
			}
			return nil
		}
		if err := importOn(d, where, strings.NewReader(lines)); !errors.Is(err, errDisk) {
			t.Errorf("operation %d failed: got %v", k, err)
		}
		if len(d.files) > 0 || len(d.locked) > 0 {
			t.Errorf("operation %d failed: %v are left, locked %v", k, d.files, d.locked)
		}
		d.restart()
		must(t, importOn(d, where, strings.NewReader(lines)))
	}
}

func TestAnImportIsNotThereBeforeItIsWhole(t *testing.T) {
	d := newMemDisk()
	lines := exportOf(t, 20)
	d.block = func() { // before the sync
		if _, there := d.files[where]; there {
			t.Error("a part of it has its name")
		}
		if _, err := Open(where, &Options{disk: d}); !errors.As(err, new(*LockError)) {
			t.Errorf("a writer opens it meanwhile: %v", err)
		}
		if err := importOn(d, where, strings.NewReader(lines)); !errors.As(err, new(*LockError)) {
			t.Errorf("another import at once: %v", err)
		}
	}
	must(t, importOn(d, where, strings.NewReader(lines)))
	d.block = nil
	if err := importOn(d, where, strings.NewReader(lines)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it was written over: %v", err)
	}
	wantWhole(t, openOn(t, d, Options{}), 20)
}

func TestNoMemberIsOnALineTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	for _, line := range []string{
		`{"seq":1,"seq":1,"type":5}`,
		`{"seq":1,"Seq":1,"type":5}`,
		`{"seq":1,"\u017feq":1,"type":5}`, // a long s
		`{"seq":1,"type":1,"signal":{"type":"vote","type":"task","payload":{}}}`,
		`{"seq":1,"type":1,"signal":{"type":"vote","payload":{},"payload":{}}}`,
		`{"seq":1,"type":2,"call":[1,{"a":[],"b":{},"a":1}],"result":1}`,
	} {
		var field *RecordError
		if err := Import(path, strings.NewReader(line)); !errors.As(err, &field) || field.Field != "member" {
			t.Errorf("%s: got %v", line, err)
		}
	}
	// The result of a tool may be imported all the same.
	j := openOn(t, newMemDisk(), Options{})
	want := Record{Type: TypeResult, Head: []byte(`{"a":1,"b":[{"a":"a"},{"a":"a"}]}`), Body: []byte(`{"a":1,"A":2}`)}
	must(t, second(j.Append(want)))
	var lines strings.Builder
	must(t, Export(t.Context(), &lines, j))
	must(t, Import(path, strings.NewReader(lines.String())))
	v, err := NewView(path)
	must(t, err)
	for r, err := range v.Read(0) {
		must(t, err)
		if !slices.Equal(r.Head, want.Head) || !slices.Equal(r.Body, want.Body) {
			t.Errorf("got %s: %s", r.Head, r.Body)
		}
	}
}
