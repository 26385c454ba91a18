package journal_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
)

// BenchmarkRead reads records of 500 bytes and checks their checksums and
// chain.
func BenchmarkRead(b *testing.B) {
	j := open(b, filepath.Join(b.TempDir(), "j"), &journal.Options{Sync: journal.SyncNever})
	defer j.Close()
	const n = 20_000
	for range n {
		if _, err := j.Append(journal.Record{Type: 1, Body: bytes.Repeat([]byte("x"), 500)}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(500)
	for left := b.N; left > 0; {
		for _, err := range j.Read(0) {
			if err != nil {
				b.Fatal(err)
			}
			if left--; left == 0 {
				break
			}
		}
	}
}

// BenchmarkAppend encodes and writes records of 500 bytes, without a sync.
func BenchmarkAppend(b *testing.B) {
	j := open(b, filepath.Join(b.TempDir(), "j"), &journal.Options{Sync: journal.SyncNever})
	defer j.Close()
	r := journal.Record{Type: 1, Body: bytes.Repeat([]byte("x"), 500)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.Append(r); err != nil {
			b.Fatal(err)
		}
	}
}
