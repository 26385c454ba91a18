package export

import (
	"cmp"
	"maps"
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

// check ignores every value that the SDK would replace by another one.
func (e *environment) check() {
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		least, greatest := numbers[name], cmp.Or(most[name], math.MaxInt32)
		n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(least)))
		if err != nil || n < least || n > greatest {
			e.ignore(name, os.Getenv(name), "a number from "+strconv.Itoa(least)+" to "+strconv.Itoa(greatest))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(words)) {
		if value := os.Getenv(name); value != "" && !slices.Contains(words[name], value) {
			e.ignore(name, value, words[name]...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		value := os.Getenv(name)
		if listed(value, pairs[name]) {
			continue
		}
		if pairs[name] {
			value = "…" // it may be a token without its name
		}
		e.ignore(name, value, "name=value,name=value")
	}
	e.list("OTEL_PROPAGATORS", tracecontext, tracecontext, "baggage")
	e.sampler()
}

const tracecontext = "tracecontext"

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
