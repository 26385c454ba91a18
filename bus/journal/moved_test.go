package journal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Bytes that are missing, too many or in another place are damage wherever they are:
// a crash moves nothing.
func TestMovedBytesAreDamageAndNeverCutOff(t *testing.T) {
	t.Parallel()
	closed, ends := smallLog(t, 12)
	d := newMemDisk()
	j := openOn(t, d, Options{Sync: SyncNever}) // which marks one frame, the first
	for seq := range uint64(12) {
		must(t, second(j.Append(numbered(seq+1))))
	}
	unmarked := d.files[where].cache
	for name, content := range map[string][]byte{"closed": closed, "never synced": unmarked} {
		last := ends[len(ends)-2] // from here on, what is left may be a truncated end
		for at := 0; at < last; { // every byte of the fixed parts
			wantDamage(t, content, fmt.Sprintf("%s: byte %d deleted", name, at), slices.Delete(bytes.Clone(content), at, at+1))
			wantDamage(t, content, fmt.Sprintf("%s: 100 bytes deleted at %d", name, at), slices.Delete(bytes.Clone(content), at, min(at+100, last)))
			for _, inserted := range []int{1, 67, 68, 300}[at%4:] {
				wantDamage(t, content, fmt.Sprintf("%s: %d bytes inserted at %d", name, inserted, at), slices.Insert(bytes.Clone(content), at, make([]byte, inserted)...))
			}
			if at++; dull(content, at) {
				at += 61
			}
		}
		for n := range len(ends) - 2 {
			record := content[ends[n]:ends[n+1]]
			wantDamage(t, content, fmt.Sprintf("%s: record %d removed", name, n+1), slices.Delete(bytes.Clone(content), ends[n], ends[n+1]))
			wantDamage(t, content, fmt.Sprintf("%s: record %d doubled", name, n+1), slices.Insert(bytes.Clone(content), ends[n+1], record...))
			wantDamage(t, content, fmt.Sprintf("%s: record %d at the end, too", name, n+1), append(bytes.Clone(content), record...))
		}
	}
	seal := ends[len(ends)-1]
	for _, inserted := range []int{1, 67, 68, 300} {
		wantDamage(t, closed, fmt.Sprintf("%d bytes before the seal", inserted), slices.Insert(bytes.Clone(closed), seal, make([]byte, inserted)...))
	}
	wantDamage(t, closed, "the last record deleted before its seal", slices.Delete(bytes.Clone(closed), ends[len(ends)-2], seal))
	wantDamage(t, closed, "the last record doubled before its seal", slices.Insert(bytes.Clone(closed), seal, closed[ends[len(ends)-2]:seal]...))
	wantDamage(t, closed, "the seal doubled", append(bytes.Clone(closed), closed[seal:]...))
}

// The seal that ends a closed journal proves its last record, too.
func TestMovedBytesInTheLastRecordOfAClosedJournalAreDamage(t *testing.T) {
	t.Parallel()
	d := newMemDisk()
	j := openOn(t, d, Options{})
	must(t, second(j.Append(numbered(1), Record{Type: TypeSignal, Head: []byte("head"), Body: make([]byte, 2000)})))
	must(t, j.Close())
	content := d.files[where].cache
	inside := len(content) - frameSize - 1500
	wantDamage(t, content, "a byte deleted", slices.Delete(bytes.Clone(content), inside, inside+1))
	wantDamage(t, content, "1000 bytes deleted", slices.Delete(bytes.Clone(content), inside, inside+1000))
	wantDamage(t, content, "a byte inserted", slices.Insert(bytes.Clone(content), inside, 0))
	wantDamage(t, content, "300 bytes inserted", slices.Insert(bytes.Clone(content), inside, make([]byte, 300)...))
}

func wantDamage(t *testing.T, content []byte, what string, damaged []byte) {
	t.Helper()
	if bytes.Equal(content, damaged) {
		return
	}
	d := diskWith(where, bytes.Clone(damaged))
	_, err := Open(where, &Options{disk: d})
	var corrupt *CorruptError
	var format *FormatError
	if !errors.As(err, &corrupt) && !errors.As(err, &format) {
		t.Errorf("%s: got %v", what, err)
	}
	if !bytes.Equal(d.files[where].cache, damaged) {
		t.Errorf("%s: the file was changed", what)
	}
}
