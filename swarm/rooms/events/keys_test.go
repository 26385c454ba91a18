package events_test

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

func TestKeyIsMadeOnFirstUseForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	k := &events.Keys{Dir: filepath.Join(t.TempDir(), "keys")}
	made, err := k.Get("Reed", "")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(k.Dir, "Reed.key")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if again, err := k.Get("Reed", events.PublicText(made)); err != nil || !again.Equal(made) {
		t.Errorf("got another key, %v", err)
	}
	if _, err := k.Get("Reed", events.PublicText(ed25519.NewKeyFromSeed(make([]byte, 32)))); err == nil {
		t.Error("a key that is not the known one is taken")
	}
	if _, err := k.Get("Veda", events.PublicText(made)); err == nil {
		t.Error("a missing key is replaced, though another one is known")
	}
	if runtime.GOOS != "windows" {
		for _, mode := range []os.FileMode{0o640, 0o620, 0o604, 0o602} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			if _, err := k.Get("Reed", ""); err == nil || !strings.Contains(err.Error(), "others may read") {
				t.Errorf("a key with mode %v: %v", mode, err)
			}
		}
	}
}

func TestRotationIsCompletedAfterACrash(t *testing.T) {
	t.Parallel()
	k := &events.Keys{Dir: t.TempDir()}
	old, err := k.Get("Reed", "")
	if err != nil {
		t.Fatal(err)
	}
	next, err := k.Next("Reed")
	if err != nil {
		t.Fatal(err)
	}
	// The rotation is not in the log: the old key is still the right one.
	if got, err := k.Get("Reed", events.PublicText(old)); err != nil || !got.Equal(old) {
		t.Errorf("before the rotation: %v", err)
	}
	// It is in the log, but the file was not moved.
	for range 2 {
		if got, err := k.Get("Reed", events.PublicText(next)); err != nil || !got.Equal(next) {
			t.Errorf("after the rotation: %v", err)
		}
	}
}
