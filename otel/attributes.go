package otel

import (
	"log/slog"
	"regexp"

	"go.opentelemetry.io/otel/attribute"
)

// converted returns the attributes of an op under the conventions' names.
func converted(all []slog.Attr) []attribute.KeyValue {
	var to []attribute.KeyValue
	for _, a := range all {
		if a.Value.Kind() == slog.KindString && a.Value.String() == "" {
			continue
		}
		key, known := keysOf[a.Key]
		if !known {
			key = attribute.Key(a.Key)
		}
		to = append(to, keyValue(key, a.Value.Resolve()))
	}
	return to
}

// modelName matches names of models, of reasons to stop, and ids of answers and calls. What else a model's
// server sends in their place may be a text.
var modelName = regexp.MustCompile(`^[\w.:/@+-]{1,100}$`)

func keyValue(key attribute.Key, v slog.Value) attribute.KeyValue {
	if (key == keyModel || key == keyFinish || key == keyResponse || key == keyCall) && !modelName.MatchString(v.String()) {
		v = slog.StringValue(other)
	}
	if key == keyFinish {
		return key.StringSlice([]string{v.String()}) // one for each answer, and there is one
	}
	switch v.Kind() {
	case slog.KindBool:
		return key.Bool(v.Bool())
	case slog.KindInt64:
		return key.Int64(v.Int64())
	case slog.KindUint64:
		return key.Int64(int64(v.Uint64()))
	case slog.KindFloat64:
		return key.Float64(v.Float64())
	case slog.KindDuration:
		return key.Float64(v.Duration().Seconds())
	default:
		return key.String(v.String())
	}
}
