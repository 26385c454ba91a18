package export

import (
	"cmp"
	"math"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numbers are the variables that the SDK reads as numbers, with their minimum.
// With other values it would panic, or report to a global handler and use another
// number.
var numbers = map[string]int{
	"OTEL_BSP_MAX_QUEUE_SIZE": 1, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": 1, "OTEL_BSP_SCHEDULE_DELAY": 1, "OTEL_BSP_EXPORT_TIMEOUT": 0,
	"OTEL_METRIC_EXPORT_INTERVAL": 1, "OTEL_METRIC_EXPORT_TIMEOUT": 1,

	"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": noLimit, "OTEL_ATTRIBUTE_COUNT_LIMIT": noLimit,
	"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": noLimit, "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": noLimit,
	"OTEL_SPAN_EVENT_COUNT_LIMIT": noLimit, "OTEL_SPAN_LINK_COUNT_LIMIT": noLimit,
	"OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT": noLimit, "OTEL_LINK_ATTRIBUTE_COUNT_LIMIT": noLimit,
}

// noLimit is the SDK's value for no limit.
const noLimit = -1

// most has the maximum of some numbers: queues and batches are allocated as a
// whole.
var most = map[string]int{"OTEL_BSP_MAX_QUEUE_SIZE": 1 << 24, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": 1 << 24}

// words are the variables with a fixed set of values. The SDK would replace other
// values by one of its choice.
var words = map[string][]string{
	"OTEL_EXPORTER_OTLP_COMPRESSION": {"gzip", none}, "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": {"gzip", none}, "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION": {"gzip", none},
	"OTEL_EXPORTER_OTLP_INSECURE": {"true", "false"}, "OTEL_EXPORTER_OTLP_TRACES_INSECURE": {"true", "false"}, "OTEL_EXPORTER_OTLP_METRICS_INSECURE": {"true", "false"},
	"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE":        {"cumulative", "delta", "lowmemory"},
	"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": {"explicit_bucket_histogram", "base2_exponential_bucket_histogram"},
	"OTEL_METRICS_EXEMPLAR_FILTER":                             {"always_on", "always_off", "trace_based"},
}

// pairs are the variables that are lists of name=value, and whether they are
// headers, which may hold secrets.
var pairs = map[string]bool{
	"OTEL_EXPORTER_OTLP_HEADERS": true, "OTEL_EXPORTER_OTLP_TRACES_HEADERS": true, "OTEL_EXPORTER_OTLP_METRICS_HEADERS": true,
	"OTEL_RESOURCE_ATTRIBUTES": false,
}

// header matches the name of a header.
var header = regexp.MustCompile("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

// check refuses the first value that the SDK would replace by another one.
func check() error {
	var bad []*VariableError
	for name, least := range numbers {
		n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(least)))
		if greatest := cmp.Or(most[name], math.MaxInt32); err != nil || n < least || n > greatest {
			bad = append(bad, &VariableError{name, os.Getenv(name), []string{"a number from " + strconv.Itoa(least) + " to " + strconv.Itoa(greatest)}})
		}
	}
	for name, want := range words {
		if value := os.Getenv(name); value != "" && !slices.Contains(want, value) {
			bad = append(bad, &VariableError{name, value, want})
		}
	}
	for name, headers := range pairs {
		value := os.Getenv(name)
		if listed(value, headers) {
			continue
		}
		if headers {
			value = "…" // it may be a token without its name
		}
		bad = append(bad, &VariableError{name, value, []string{"name=value,name=value"}})
	}
	if len(bad) == 0 {
		return nil
	}
	return slices.MinFunc(bad, func(a, b *VariableError) int { return cmp.Compare(a.Name, b.Name) })
}

// listed reports whether a value is empty or a list of name=value, with % escapes
// in the values.
func listed(value string, headers bool) bool {
	for pair := range strings.SplitSeq(value, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, text, found := strings.Cut(pair, "=")
		_, err := url.PathUnescape(text)
		name = strings.TrimSpace(name)
		if !found || err != nil || name == "" || headers && !header.MatchString(name) {
			return false
		}
	}
	return true
}
