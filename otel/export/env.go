package export

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// A VariableError is a variable whose value is not supported.
type VariableError struct {
	Name, Value string
	Want        []string
}

func (e *VariableError) Error() string {
	return fmt.Sprintf("export: %s=%q is not one of %s", e.Name, e.Value, strings.Join(e.Want, ", "))
}

const (
	otlp = "otlp"
	none = "none"
	grpc = "grpc"
	http = "http/protobuf"
)

// choice returns the first of the variables that is set, or the default, if
// it is one of those wanted.
func choice(names []string, otherwise string, want ...string) (string, error) {
	for _, name := range names {
		value := strings.ToLower(strings.TrimSpace(os.Getenv(name)))
		if value == "" {
			continue
		}
		for _, w := range want {
			if value == w {
				return value, nil
			}
		}
		return "", &VariableError{name, value, want}
	}
	return otherwise, nil
}

func exporter(signal, otherwise string) (string, error) {
	return choice([]string{"OTEL_" + signal + "_EXPORTER"}, otherwise, otlp, none)
}

func protocol(signal string) (string, error) {
	return choice([]string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}, http, http, grpc)
}

// here reports whether no variable sets the collector's address: then it is on
// this machine, without TLS, as the standard says (Go's exporters would use
// TLS).
func here(signal string) bool {
	_, value := variable(signal, "ENDPOINT")
	return value == ""
}

// endpoint refuses an address that the exporters would misinterpret:
// "localhost:4318" has the scheme localhost.
func endpoint(signal string) error {
	name, value := variable(signal, "ENDPOINT")
	if value == "" {
		return nil
	}
	at, err := url.Parse(strings.TrimSpace(value))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return &VariableError{name, value, []string{"http://HOST:PORT", "https://HOST:PORT"}}
	}
	return nil
}

// headers refuses headers that the exporters would ignore. Its errors do not
// quote them, because headers contain keys.
func headers(signal string) error {
	name, value := variable(signal, "HEADERS")
	for part := range strings.SplitSeq(value, ",") {
		key, of, pair := strings.Cut(part, "=")
		_, err := url.PathUnescape(of)
		if strings.TrimSpace(part) != "" && (!pair || strings.TrimSpace(key) == "" || err != nil) {
			return &VariableError{name, "…", []string{"NAME=VALUE with others behind commas, percent-encoded"}}
		}
	}
	return nil
}

func compression(signal string) error {
	name, _ := variable(signal, "COMPRESSION")
	_, err := choice([]string{name}, "", "gzip", none)
	return err
}

// whole refuses values that the SDK would replace by its defaults.
func whole(variables ...string) error {
	for _, name := range variables {
		value := strings.TrimSpace(os.Getenv(name))
		if n, err := strconv.Atoi(value); value != "" && (err != nil || n <= 0) {
			return &VariableError{name, value, []string{"the whole numbers from 1"}}
		}
	}
	return nil
}

// sampler refuses what the SDK would report to a global handler and replace
// by a sampler of its own choice.
func sampler() error {
	const name, argument = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
	chosen, err := choice([]string{name}, "", "always_on", "always_off", "traceidratio",
		"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio")
	value := strings.TrimSpace(os.Getenv(argument))
	if err != nil || !strings.HasSuffix(chosen, "traceidratio") || value == "" {
		return err
	}
	if ratio, err := strconv.ParseFloat(value, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
		return &VariableError{argument, value, []string{"a number from 0 to 1"}}
	}
	return nil
}

// captured reports whether what agents say is recorded: on spans, there are
// no events of it.
func captured() (bool, error) {
	value, err := choice([]string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"}, "false", "true", "false", "span_only", "no_content")
	return value == "true" || value == "span_only", err
}

func enabled(name string) bool { return strings.EqualFold(strings.TrimSpace(os.Getenv(name)), "true") }

var errPEM = errors.New("not PEM")
