//go:build !js

package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
)

// writes is set in a process that a test starts: the store that it writes to.
const writes = "SWARMBUS_TEST_WRITES"

func TestMain(m *testing.M) {
	if path := os.Getenv(writes); path != "" {
		if err := write(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// write adds 20 statements to one fact, each in a transaction of its own.
func write(path string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	id := memory.IDOf("shared")
	for i := range 20 {
		err := s.Change(ctx, []string{id}, func(stored map[string]memory.Fact) []memory.Fact {
			f := stored[id]
			f.ID, f.Content, f.Category = id, "shared", "c"
			f.Said = append(f.Said, memory.Statement{Source: fmt.Sprint(os.Getpid(), " ", i), Time: time.Now()})
			return []memory.Fact{f}
		})
		if err == nil {
			err = s.SetVectors(ctx, "m", map[string][]float32{id: {1, float32(i)}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestProcessesThatWriteAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	var all []*exec.Cmd
	for range 3 {
		c := exec.CommandContext(t.Context(), os.Args[0])
		c.Env = append(os.Environ(), writes+"="+path)
		c.Stdout, c.Stderr = os.Stderr, os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	facts, err := open(t, path).Linked(t.Context(), "", "x")
	if err != nil || len(facts) > 0 {
		t.Errorf("%v, %v", facts, err)
	}
	err = open(t, path).Change(t.Context(), []string{memory.IDOf("shared")}, func(stored map[string]memory.Fact) []memory.Fact {
		if f := stored[memory.IDOf("shared")]; len(f.Said) != 60 {
			t.Errorf("%d statements, want 60", len(f.Said))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestPathsAreTakenAsTheyAre(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a b.db", "a?mode=memory", "a#b", "a%41", ":memory:", "file:x?y=z", "'; DROP", "ä\u202e.db", "-x", "~"} {
		path := filepath.Join(dir, name)
		s := open(t, path)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v, %v", name, info, err)
		}
	}
	for _, path := range []string{"", "a\x00b", dir, filepath.Join(dir, "none", "x")} {
		if s, err := sqlite.Open(t.Context(), path); err == nil || s != nil {
			t.Errorf("opened %q", path)
		}
	}
}

func TestFilesThatAreNoStoreAreRefusedAndLeftAsTheyAre(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "other")
	s := open(t, other)
	s.Close()
	whole, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"a text":                []byte(strings.Repeat("this is no database\n", 100)),
		"of another":            patched(whole, 68, "XXXX"),
		"of a newer version":    patched(whole, 60, "\x00\x00\x00\x63"),
		"with a damaged schema": patched(whole, 100, strings.Repeat("\xff", 50)),
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := sqlite.Open(t.Context(), path); !errors.Is(err, memory.ErrCorrupt) || s != nil {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
			t.Errorf("%s: the file was changed, %v", name, err)
		}
	}
}

func patched(data []byte, at int, text string) []byte {
	data = slices.Clone(data)
	copy(data[at:], text)
	return data
}

func TestDamageInTheMiddleOfAFileIsReported(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, path)
	var ids []string
	facts := map[string]memory.Fact{}
	for i := range 500 {
		content := fmt.Sprint("fact ", i)
		f := memory.Fact{ID: memory.IDOf(content), Content: content, Category: "c", Said: []memory.Statement{{Source: "ada", Time: time.Now()}}}
		ids, facts[f.ID] = append(ids, f.ID), f
	}
	err := s.Change(t.Context(), ids, func(map[string]memory.Fact) (all []memory.Fact) {
		for _, f := range facts {
			all = append(all, f)
		}
		return all
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := 4; page < len(data)/4096; page++ { // after the schema, the heads of all pages
		copy(data[page*4096:], strings.Repeat("\xff", 100))
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = sqlite.Open(t.Context(), path)
	if err == nil {
		defer s.Close()
		_, err = s.Linked(t.Context(), "ada")
	}
	if !errors.Is(err, memory.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

func TestOpeningThatIsCancelledLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "x")); err == nil || s != nil {
		t.Error("opened")
	}
}
