package natsbus

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func TestErrorsOfMonitoringPortsHaveNoPasswords(t *testing.T) {
	for name, answer := range map[string]string{"no JSON": "<html>", "syncs late": `{"config": {"sync_interval": 120000000000}}`} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
			defer server.Close()
			o := Options{Storage: Storage{Strict: true, Monitor: []string{strings.Replace(server.URL, "://", "://ann:secret@", 1)}}}
			err := o.checkServers(t.Context(), &jetstream.StreamInfo{})
			var config *ConfigError
			if !errors.As(err, &config) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), strings.TrimPrefix(server.URL, "http://")) {
				t.Errorf("%v", err)
			}
		})
	}
}
