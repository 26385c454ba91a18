package export

import (
	"cmp"
	"context"
	"net"
	"runtime/debug"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
)

// whoSends describes this process. OTEL_RESOURCE_ATTRIBUTES has precedence.
func whoSends(ctx context.Context, service string) (*resource.Resource, error) {
	about := []attribute.KeyValue{
		attribute.String("service.name", cmp.Or(service, "swarmbus")),
		// So that replicas on one host do not overwrite each other's metrics.
		attribute.String("service.instance.id", uuid.NewString()),
		// Jaeger's page reads an endpoint that treats spans of processes without an
		// address as those of different hosts: it moves spans that begin after the end
		// of their parent, and shows a clock-skew warning on each.
		attribute.String("ip", address()),
	}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		about = append(about, attribute.String("service.version", build.Main.Version))
	}
	return resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(about...), resource.WithFromEnv())
}

// address returns a global address of this host, or the loopback address if there
// is none.
func address() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return "127.0.0.1"
	}
	for _, a := range all {
		if at, ok := a.(*net.IPNet); ok && at.IP.IsGlobalUnicast() {
			return at.IP.String()
		}
	}
	return "127.0.0.1"
}
