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

// whoSends describes this process. OTEL_RESOURCE_ATTRIBUTES goes before it.
func whoSends(ctx context.Context, service string) (*resource.Resource, error) {
	about := []attribute.KeyValue{
		attribute.String("service.name", cmp.Or(service, "swarmbus")),
		// So that replicas on one host do not overwrite each other's metrics.
		attribute.String("service.instance.id", uuid.NewString()),
		// The endpoint that Jaeger's page reads takes spans of processes without it
		// for those of different hosts, moves the ones that begin after their parent
		// ended, and warns of the clock on each.
		attribute.String("ip", address()),
	}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		about = append(about, attribute.String("service.version", build.Main.Version))
	}
	return resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(about...), resource.WithFromEnv())
}

// address returns an address of this host that others may know it by, or that
// of the loopback where there is none.
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
