package export_test

import (
	"bytes"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/otel/export"
)

func TestValueThatIsNotSupportedIsAnError(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://localhost", "OTEL_TRACES_SAMPLER": "half",
		"OTEL_BSP_MAX_QUEUE_SIZE": "-1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "0", "OTEL_BSP_SCHEDULE_DELAY": "-5", "OTEL_BSP_EXPORT_TIMEOUT": "abc",
		"OTEL_METRIC_EXPORT_INTERVAL": "0", "OTEL_METRIC_EXPORT_TIMEOUT": "1m", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "abc", "OTEL_SPAN_LINK_COUNT_LIMIT": "-2",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "zip", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "GZIP", "OTEL_SDK_DISABLED": "yes", "OTEL_EXPORTER_OTLP_INSECURE": "1",
		"OTEL_RESOURCE_ATTRIBUTES": "nonsense", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "weekly", "OTEL_METRICS_EXEMPLAR_FILTER": "all",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "exponential",

		"OTEL_EXPORTER_OTLP_TIMEOUT": "10s", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "event_only",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			_, err := export.New(t.Context(), nil)
			var problem *export.VariableError
			if !errors.As(err, &problem) || problem.Name != name || !strings.Contains(err.Error(), value) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line about %s", err, name)
			}
		})
	}
}

func TestRefusalReadsAsASentence(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"OTEL_BSP_MAX_QUEUE_SIZE", "ten", `export: OTEL_BSP_MAX_QUEUE_SIZE="ten" is not a number from 1 to 16777216`},
		{"OTEL_SDK_DISABLED", "yes", `export: OTEL_SDK_DISABLED="yes" is not one of true, false`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(test.name, test.value)
			if _, err := export.New(t.Context(), nil); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestValuesAtTheirBoundsAreTaken(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_BSP_MAX_QUEUE_SIZE": "1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1", "OTEL_BSP_EXPORT_TIMEOUT": "0", "OTEL_SPAN_LINK_COUNT_LIMIT": "-1",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_SDK_DISABLED": "FALSE", "OTEL_RESOURCE_ATTRIBUTES": "k8s.io/name=a%20b,c=",
	} {
		t.Setenv(name, value)
	}
	var got sent
	got.collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	p := newPipeline(t, export.Options{NoMetrics: true})
	decide(t, p)
	if account := p.Close(); account.Ended == 0 || account.Sent == 0 {
		t.Errorf("got %v, want spans sent", account)
	}
}

// TestRefusedVariableSendsNothing has a collector that must receive nothing, and a
// log that must stay empty.
func TestRefusedVariableSendsNothing(t *testing.T) {
	for _, name := range []string{"OTEL_TRACES_SAMPLER", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "OTEL_METRICS_EXPORTER"} {
		t.Run(name, func(t *testing.T) {
			collector(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent to %s", r.URL) })
			t.Setenv(name, "sometimes")
			var log bytes.Buffer
			if _, err := export.New(t.Context(), &export.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}); err == nil || log.Len() > 0 {
				t.Errorf("got %v, and logged %q", err, &log)
			}
		})
	}
}

func TestInvalidHeadersAreRefusedAndNotRepeated(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "api-key=s3cret": true, "a=b, c=d%20e,": true, "s3cret": false, "a=b,s3cret": false, "=s3cret": false, "a=s3cret%zz": false, "a b=s3cret": false,
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", value)
		p, err := export.New(t.Context(), nil)
		if (err == nil) != want || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: got %v, taken %v", value, err, want)
		}
		if p != nil {
			p.Close()
		}
	}
}

func TestAddressIsNotRepeatedWithItsPassword(t *testing.T) {
	for value, want := range map[string]string{
		"me:s3cret@collector:4318": `"…@collector:4318"`, "ftp://me:s3cret@collector": `"…@collector"`, "me:s3c@ret@collector:4318": `"…@collector:4318"`,
		"s3cret@collector": `"…@collector"`, "collector:4318?token=s3cret": `"collector:4318?token=[redacted]"`, "http://me:s3cret%@collector": `"…@collector"`,
	} {
		for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"} {
			t.Run(name, func(t *testing.T) {
				t.Setenv(name, value)
				_, err := export.New(t.Context(), nil)
				if err == nil || strings.Contains(err.Error(), "s3c") || !strings.Contains(err.Error(), name+"="+want) {
					t.Errorf("%s: got %v, want %s", value, err, want)
				}
			})
		}
	}
}

func TestSamplerArgumentThatIsNoShareIsAnError(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	for value, want := range map[string]bool{"": true, "0": true, "0.1": true, "1": true, "1.1": false, "-1": false, "NaN": false, "all": false} {
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", value)
		p, err := export.New(t.Context(), nil)
		var problem *export.VariableError
		if (err == nil) != want || !want && !errors.As(err, &problem) {
			t.Errorf("%q: got %v, taken %v", value, err, want)
		}
		if p != nil {
			p.Close()
		}
	}
}

func TestCertificatesOfTheVariablesAreUsed(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the client that does not know the certificate
	defer s.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	for certificate, known := range map[string]bool{"": false, file: true} {
		t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", certificate)
		p := newPipeline(t, export.Options{NoMetrics: true})
		decide(t, p)
		if account := p.Close(); (account.Lost() == 0) != known {
			t.Errorf("certificate %q: got %v, want it taken %v", certificate, account, known)
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", os.Args[0])
	if _, err := export.New(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_CERTIFICATE") {
		t.Errorf("got %v, want an error about the certificate", err)
	}
}

func TestDisablingVariablesSendNothing(t *testing.T) {
	for _, env := range []map[string]string{
		{"OTEL_SDK_DISABLED": "true"},
		{"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
		{"OTEL_TRACES_SAMPLER": "always_off", "OTEL_METRICS_EXPORTER": "none"},
	} {
		t.Run("", func(t *testing.T) {
			collector(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%v: sent to %s", env, r.URL) })
			for name, value := range env {
				t.Setenv(name, value)
			}
			p := newPipeline(t, export.Options{})
			decide(t, p)
			if account := p.Close(); account != (export.Account{}) {
				t.Errorf("%v: got %+v", env, account)
			}
		})
	}
}

func TestContentIsCapturedByTheStandardVariable(t *testing.T) {
	for value, want := range map[string]bool{"": false, "false": false, "NO_CONTENT": false, "true": true, "SPAN_ONLY": true} {
		t.Run(value, func(t *testing.T) {
			var found atomic.Bool
			collector(t, func(_ http.ResponseWriter, r *http.Request) {
				var body bytes.Buffer
				_, _ = body.ReadFrom(r.Body)
				if bytes.Contains(body.Bytes(), []byte("do a")) {
					found.Store(true)
				}
			})
			t.Setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
			p := newPipeline(t, export.Options{NoMetrics: true})
			decide(t, p)
			p.Close()
			if found.Load() != want {
				t.Errorf("content sent: %v, want %v", found.Load(), want)
			}
		})
	}
}
