package natsflags

import (
	"errors"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/natsbus"
)

func TestKeepIsAnAgeASizeOrANumberOfMessages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]natsbus.Storage{
		"720h": {MaxAge: 720 * time.Hour}, "1000000": {MaxSignals: 1000000}, "10GB": {MaxBytes: 10e9}, "3MiB": {MaxBytes: 3 << 20}, "5kB": {MaxBytes: 5000},
	} {
		var got natsbus.Storage
		f := Flags{keep: []string{text}}
		if err := f.limits(&got); err != nil || got.MaxAge != want.MaxAge || got.MaxBytes != want.MaxBytes || got.MaxSignals != want.MaxSignals {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "-1h", "10 GB", "GB", "10XB", "1.5GB", "9999999999TB", "0GB"} {
		f := Flags{keep: []string{text}}
		if err := f.limits(new(natsbus.Storage)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestErrorsOfALogNameFlagsAndStayTestable(t *testing.T) {
	t.Parallel()
	_, err := natsbus.Join(t.Context(), natsbus.Options{URL: "http://n1"})
	err = byFlags(err)
	if want := `natsbus: --nats is "http://n1": not URLs of servers with nats://, tls://, ws:// or wss://`; err == nil || err.Error() != want || !errors.Is(err, natsbus.ErrOption) {
		t.Errorf("got %v, want %s", err, want)
	}
	if byFlags(nil) != nil {
		t.Error("no error is one")
	}
}
