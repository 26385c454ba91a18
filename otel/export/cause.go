package export

import (
	"errors"
	"fmt"
	"strings"
)

// cause returns why something was not sent: the error of the last attempt, if
// there was no time for another, with the protocol that the port may expect.
func cause(err error) error {
	text := err.Error()
	if before, tried, ok := strings.Cut(text, errPatience.Error()+": "); ok {
		err = errors.New(before + tried)
	}
	for sign, protocol := range signs {
		if strings.Contains(text, sign) {
			return fmt.Errorf("is this a port of OTEL_EXPORTER_OTLP_PROTOCOL=%s? %w", protocol, err)
		}
	}
	return err
}

// signs are parts of the errors of Go's HTTP and gRPC for a port of the other
// protocol.
var signs = map[string]string{
	`malformed HTTP response "\x00\x00`: grpc, // a frame of HTTP/2
	"looked like an HTTP/1.1 header":    http,
}
