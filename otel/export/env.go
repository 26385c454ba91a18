package export

import (
	"cmp"
	"fmt"
	"os"
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

// here reports whether no variable says where the collector is: then it is on
// this machine, in the clear, as the standard has it (Go's exporters would ask
// for TLS).
func here(signal string) bool {
	return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT")) == ""
}

func enabled(name string) bool { return strings.EqualFold(strings.TrimSpace(os.Getenv(name)), "true") }
