package otel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/swarmbus/swarmbus/signals"
)

// labels holds the span names and metric attributes of one kind.
type labels struct {
	kind, publish, process string

	sent, consumed, waited metric.MeasurementOption
}

func newLabels(kind string) *labels {
	set := func(operation string) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(
			keySystem.String(system), keyOperation.String(operation), keyDestination.String(kind),
		))
	}
	return &labels{
		kind: kind, publish: publishName + " " + kind, process: processName + " " + kind,
		sent: set(publishName), consumed: set(processName),
		waited: metric.WithAttributeSet(attribute.NewSet(keyDestination.String(kind))),
	}
}

// labelsOf returns the labels of a kind, or those of "other" if the kind is not
// an identifier or there are too many kinds.
func (w *watch) labelsOf(k signals.Kind) *labels {
	if l := w.labels[k]; l != nil {
		return l
	}
	kind := w.words.few(w.kind(k))
	if kind == other && string(k) != other {
		return w.others
	}
	l := newLabels(kind)
	w.labels[k] = l
	return l
}
