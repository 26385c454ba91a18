package export

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
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
	otlp    = "otlp"
	none    = "none"
	console = "console"
	grpc    = "grpc"
	http    = "http/protobuf"
)

// An environment ignores the variables whose values are not supported, as the
// specification wants. The SDK and its exporters read variables themselves, and
// some values make them panic or report to a global handler, so an ignored
// variable is unset until the pipeline is made.
type environment struct {
	ignored []error
	unset   map[string]string
}

func (e *environment) ignore(name, shown string, want ...string) {
	e.ignored = append(e.ignored, &VariableError{name, shown, want})
	if e.unset == nil {
		e.unset = map[string]string{}
	}
	e.unset[name] = os.Getenv(name)
	_ = os.Unsetenv(name)
}

// restore sets what ignore has unset.
func (e *environment) restore() {
	for name, value := range e.unset {
		_ = os.Setenv(name, value)
	}
}

// choice returns the value of the first variable that has one of the wanted
// values, or the default if there is none.
func (e *environment) choice(names []string, otherwise string, want ...string) string {
	for _, name := range names {
		value := strings.ToLower(strings.TrimSpace(os.Getenv(name)))
		if slices.Contains(want, value) {
			return value
		}
		if value != "" {
			e.ignore(name, value, want...)
		}
	}
	return otherwise
}

// exporters returns where a signal is sent: to otlp, the console or both.
func (e *environment) exporters(signal, otherwise string) []string {
	to := e.list("OTEL_"+signal+"_EXPORTER", otherwise, otlp, console, none)
	if slices.Contains(to, none) {
		return nil
	}
	return to
}

// list returns the values of a variable that lists some of the wanted ones.
func (e *environment) list(name, otherwise string, want ...string) []string {
	value := strings.ToLower(strings.TrimSpace(os.Getenv(name)))
	if value == "" {
		return []string{otherwise}
	}
	var all []string
	for word := range strings.SplitSeq(value, ",") {
		if word = strings.TrimSpace(word); !slices.Contains(want, word) {
			e.ignore(name, value, want...)
			return []string{otherwise}
		}
		all = append(all, word)
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

func (e *environment) protocol(signal string) string {
	return e.choice([]string{"OTEL_EXPORTER_OTLP_" + signal + "_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"}, http, http, grpc)
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

// sampler checks the sampler, which the SDK reads.
func (e *environment) sampler() {
	const name, argument = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"
	chosen := e.choice([]string{name}, "", "always_on", "always_off", "traceidratio",
		"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio")
	value := strings.TrimSpace(os.Getenv(argument))
	if !strings.HasSuffix(chosen, "traceidratio") || value == "" {
		return
	}
	if ratio, err := strconv.ParseFloat(value, 64); err != nil || !(ratio >= 0 && ratio <= 1) {
		e.ignore(argument, value, "a number from 0 to 1")
	}
}

// captured returns the function for content, or nil if content is not recorded.
// Content is recorded on spans, never as events. The variable has precedence over
// the program.
func (e *environment) captured(wanted content) content {
	switch e.choice([]string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"}, "",
		"true", "false", "span_only", "span_and_event", "event_only", "no_content") {
	case "false", "no_content", "event_only":
		return nil
	case "true", "span_only", "span_and_event":
		if wanted == nil {
			return otel.Redact
		}
	}
	return wanted
}

// disabled reports whether the variables disable all telemetry.
func (e *environment) disabled() bool {
	return e.choice([]string{"OTEL_SDK_DISABLED"}, "false", "true", "false") == "true"
}

var errPEM = errors.New("not PEM")
