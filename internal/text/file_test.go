package text_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/internal/text"
)

func TestFileWithMoreThanItMayHaveIsRefused(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := text.ReadFile(name, 5); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := text.ReadFile(name, 4); err == nil || got != nil || !strings.Contains(err.Error(), name+" has more than 4 bytes") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := text.ReadFile(name+"b", 4); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

func TestTextsAreUTF8WithoutAMark(t *testing.T) {
	t.Parallel()
	for _, written := range []string{"né", "\ufeffné", "\xff\xfen\x00\xe9\x00", "\xfe\xff\x00n\x00\xe9"} {
		name := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(name, []byte(written), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := text.ReadFile(name, 5); err != nil || string(got) != "né" {
			t.Errorf("%q: %q, %v", written, got, err)
		}
	}
}

// A file without an end, such as a device, is refused and not read.
func TestFileWithoutAnEndIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no /dev/zero")
	}
	refused := make(chan error, 1)
	go func() {
		_, err := text.ReadFile("/dev/zero", 1<<20)
		refused <- err
	}()
	select {
	case err := <-refused:
		if err == nil {
			t.Error("it was read")
		}
	case <-time.After(time.Minute):
		t.Fatal("it reads on")
	}
}
