package signals_test

import (
	"testing"
	"unsafe"

	"github.com/swarmbus/swarmbus/signals"
)

// A log holds a million headers.
func TestAHeaderIsSmall(t *testing.T) {
	if got, most := unsafe.Sizeof(signals.Header{}), uintptr(136); got > most {
		t.Errorf("%d bytes, more than %d", got, most)
	}
	if got := unsafe.Sizeof(signals.ID{}); got != 16 {
		t.Errorf("an id has %d bytes, want 16", got)
	}
}
