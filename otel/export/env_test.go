package export_test

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/otel/export"
)

// ignored returns the variables that a pipeline ignores, after it has checked that
// they are in its log and set as before.
func ignored(t *testing.T) []error {
	t.Helper()
	before := os.Environ()
	var log bytes.Buffer
	p, err := export.New(t.Context(), &export.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if lines := strings.Count(log.String(), "a variable is ignored"); lines != len(p.Ignored) {
		t.Errorf("logged %d lines, want %d: %s", lines, len(p.Ignored), &log)
	}
	after := os.Environ()
	slices.Sort(before)
	slices.Sort(after)
	if !slices.Equal(before, after) {
		t.Errorf("the variables are %q, want %q", after, before)
	}
	return p.Ignored
}

func TestValueThatIsNotSupportedIsIgnored(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "otlp,prometheus", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
		"OTEL_TRACES_SAMPLER": "half", "OTEL_PROPAGATORS": "tracecontext,b3",
		"OTEL_BSP_MAX_QUEUE_SIZE": "-1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "0", "OTEL_BSP_SCHEDULE_DELAY": "-5", "OTEL_BSP_EXPORT_TIMEOUT": "abc",
		"OTEL_METRIC_EXPORT_INTERVAL": "0", "OTEL_METRIC_EXPORT_TIMEOUT": "1m", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "abc", "OTEL_SPAN_LINK_COUNT_LIMIT": "-2",
		"OTEL_EXPORTER_OTLP_COMPRESSION": "zip", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "GZIP", "OTEL_SDK_DISABLED": "yes", "OTEL_EXPORTER_OTLP_INSECURE": "1",
		"OTEL_RESOURCE_ATTRIBUTES": "nonsense", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "weekly", "OTEL_METRICS_EXEMPLAR_FILTER": "all",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "exponential",

		"OTEL_EXPORTER_OTLP_TIMEOUT": "10s", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "sometimes",
	} {
		t.Run(name, func(t *testing.T) {
			var got sent
			got.collect(t)
			t.Setenv(name, value)
			all := ignored(t)
			var problem *export.VariableError
			if len(all) != 1 || !errors.As(all[0], &problem) || problem.Name != name || !strings.Contains(all[0].Error(), value) || strings.Contains(all[0].Error(), "\n") {
				t.Errorf("ignored %v, want one line about %s", all, name)
			}
			p := newPipeline(t, export.Options{NoMetrics: true})
			decide(t, p)
			if account := p.Close(); account.Sent == 0 || account.Lost() != 0 {
				t.Errorf("got %v, want every span sent", account)
			}
		})
	}
}

func TestIgnoredValueReadsAsASentence(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"OTEL_BSP_MAX_QUEUE_SIZE", "ten", `export: OTEL_BSP_MAX_QUEUE_SIZE="ten" is not a number from 1 to 16777216`},
		{"OTEL_SDK_DISABLED", "yes", `export: OTEL_SDK_DISABLED="yes" is not one of true, false`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv(test.name, test.value)
			if all := ignored(t); len(all) != 1 || all[0].Error() != test.want {
				t.Errorf("got %v, want %s", all, test.want)
			}
		})
	}
}

func TestTheVariableOfOneSignalThatIsIgnoredLeavesThatOfAll(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "soon")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "later")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	if all := ignored(t); len(all) != 3 {
		t.Errorf("ignored %v, want both timeouts and one protocol", all)
	}
}

// TestAddressThatCannotBeUsedSendsNothing has a collector that must receive nothing.
func TestAddressThatCannotBeUsedSendsNothing(t *testing.T) {
	for name, value := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://localhost",
	} {
		t.Run(name, func(t *testing.T) {
			collector(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("sent to %s", r.URL) })
			t.Setenv(name, value)
			_, err := export.New(t.Context(), nil)
			var problem *export.VariableError
			if !errors.As(err, &problem) || problem.Name != name || !strings.Contains(err.Error(), value) {
				t.Errorf("got %v, want an error about %s", err, name)
			}
		})
	}
}

func TestSpansGoToTheConsole(t *testing.T) {
	for value, collected := range map[string]bool{"console": false, "otlp, console": true} {
		t.Run(value, func(t *testing.T) {
			var got sent
			got.collect(t)
			t.Setenv("OTEL_TRACES_EXPORTER", value)
			var out bytes.Buffer
			p := newPipeline(t, export.Options{NoMetrics: true, Console: &out})
			decide(t, p)
			account := p.Close()
			if lines := strings.Count(out.String(), `"Name":`); lines < account.Ended || account.Ended == 0 || account.Lost() != 0 || len(got.spans) > 0 != collected {
				t.Errorf("got %v, %d spans on the console and %d at the collector", account, lines, len(got.spans))
			}
		})
	}
}

func TestMetricsGoToTheConsole(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "none")
	t.Setenv("OTEL_METRICS_EXPORTER", "console")
	var out bytes.Buffer
	p := newPipeline(t, export.Options{Console: &out})
	decide(t, p)
	if account := p.Close(); account.Metrics == 0 || !strings.Contains(out.String(), "swarmbus.decisions") {
		t.Errorf("got %v and %s, want the metrics", account, &out)
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

func TestInvalidHeadersAreIgnoredAndNotRepeated(t *testing.T) {
	for value, want := range map[string]bool{
		"": true, "api-key=s3cret": true, "a=b, c=d%20e,": true, "s3cret": false, "a=b,s3cret": false, "=s3cret": false, "a=s3cret%zz": false, "a b=s3cret": false,
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", value)
		t.Setenv("OTEL_METRICS_EXPORTER", "none")
		if all := ignored(t); (len(all) == 0) != want || strings.Contains(fmt.Sprint(all), "s3cret") {
			t.Errorf("%q: ignored %v, taken %v", value, all, want)
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

func TestSamplerArgumentThatIsNoShareIsIgnored(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	for value, want := range map[string]bool{"": true, "0": true, "0.1": true, "1": true, "1.1": false, "-1": false, "NaN": false, "all": false} {
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", value)
		if all := ignored(t); (len(all) == 0) != want {
			t.Errorf("%q: ignored %v, taken %v", value, all, want)
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
	for value, want := range map[string]bool{"": false, "false": false, "NO_CONTENT": false, "true": true, "SPAN_ONLY": true, "SPAN_AND_EVENT": true, "EVENT_ONLY": false} {
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
