package natsbus

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestURLsThatAreNoServersAreRefused(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"foo://n1:4222", "http://n1:8222", "nats://n1:4222,foo://n2", "nats://n1:4222,", "://n1"} {
		if _, err := (Options{URL: url}).withDefaults(); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), url) {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, url := range []string{"", "n1:4222", "nats://n1:4222, nats://n2:4222", "tls://n1", "wss://n1"} {
		if _, err := (Options{URL: url}).withDefaults(); err != nil {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// Users of the command know its flags, and not the fields.
func TestErrorsOfOptionsNameTheFlagsThatSetThem(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]Options{
		"URL is \"foo://n1\": ":   {URL: "foo://n1"},
		"Stream is \"a b\": ":     {Stream: "a b"},
		"Domain is \"a b\": ":     {Domain: "a b"},
		"Agent is \"a\\nb\": ":    {Agent: "a\nb"},
		"Storage.Replicas is 7: ": {Storage: Storage{Replicas: 7}},
	} {
		if _, err := o.withDefaults(); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A process with a wrong file does not try for ever.
func TestJoinFailsAtOnceWithoutItsCredentials(t *testing.T) {
	t.Parallel()
	if _, err := Join(t.Context(), Options{URL: "nats://127.0.0.1:1", Creds: t.TempDir() + "/none"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
