package export

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/otel"
)

// A VariableError is a variable whose value is not supported.
type VariableError struct {
	Name, Value string
	Want        []string
}

func (e *VariableError) Error() string {
	want := strings.Join(e.Want, ", ")
	if len(e.Want) > 1 {
		want = "one of " + want
	}
	return fmt.Sprintf("export: %s=%q is not %s", e.Name, e.Value, want)
}

const (
	otlp = "otlp"
	none = "none"
	grpc = "grpc"
	http = "http/protobuf"
)

// choice returns the value of the first variable that is set, which must be one of
// the wanted values, or the default if none is set.
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

// here reports whether no variable sets the collector's address. Then the
// collector is on this machine and without TLS, as the standard says; Go's
// exporters would use TLS.
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
		return &VariableError{name, withoutUser(value), []string{"http://HOST:PORT", "https://HOST:PORT"}}
	}
	return nil
}

// withoutUser returns an address without user and password, and without what
// looks like a secret in the rest.
func withoutUser(address string) string {
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		address = "…" + address[at:]
	}
	return otel.Redact("", "", address)
}

// sampler refuses samplers that the SDK would replace by another one, reporting
// that to a global handler.
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

// captured returns the function for content, or nil if content is not recorded.
// Content is recorded on spans, never as events. The variable has precedence over
// the program.
func captured(wanted content) (content, error) {
	value, err := choice([]string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"}, "", "true", "false", "span_only", "no_content")
	switch {
	case err != nil || value == "false" || value == "no_content":
		return nil, err
	case value != "" && wanted == nil:
		return otel.Redact, nil
	}
	return wanted, nil
}

// disabled reports whether the variables disable all telemetry.
func disabled() (bool, error) {
	value, err := choice([]string{"OTEL_SDK_DISABLED"}, "false", "true", "false")
	return value == "true", err
}

var errPEM = errors.New("not PEM")
