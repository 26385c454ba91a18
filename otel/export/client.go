package export

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	nethttp "net/http"
	"os"
	"strconv"
	"time"
)

// client returns the HTTP client of a signal, which is configured by the same
// variables as OpenTelemetry's own and checks the responses.
func (e *environment) client(signal string) (*nethttp.Client, error) {
	timeout := e.timeout(signal)
	transport := nethttp.DefaultTransport.(*nethttp.Transport).Clone()
	var err error
	if transport.TLSClientConfig, err = tlsOf(signal); err != nil {
		return nil, err
	}
	return &nethttp.Client{Transport: answers{transport}, Timeout: timeout, CheckRedirect: stay}, nil
}

// stay follows no redirect: a request for another address, such as a login page,
// has no spans in it, and its response would count them as sent.
func stay(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }

// variable returns a variable of OTLP and its value. The one of the signal has
// precedence over the one of all signals.
func variable(signal, name string) (variable, value string) {
	own := "OTEL_EXPORTER_OTLP_" + signal + "_" + name
	if value := os.Getenv(own); value != "" {
		return own, value
	}
	all := "OTEL_EXPORTER_OTLP_" + name
	return all, os.Getenv(all)
}

func (e *environment) timeout(signal string) time.Duration {
	for range 2 { // the signal's own, then that of all signals
		name, value := variable(signal, "TIMEOUT")
		ms, err := strconv.Atoi(cmp.Or(value, "10000"))
		if err == nil && ms >= 0 {
			return time.Duration(ms) * time.Millisecond
		}
		e.ignore(name, value, "a number of milliseconds")
	}
	return 10 * time.Second
}

func tlsOf(signal string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if name, file := variable(signal, "CERTIFICATE"); file != "" {
		pem, err := os.ReadFile(file)
		config.RootCAs = x509.NewCertPool()
		if err != nil || !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("export: %s=%q: no certificate there: %w", name, file, cmp.Or(err, errPEM))
		}
	}
	name, file := variable(signal, "CLIENT_CERTIFICATE")
	_, key := variable(signal, "CLIENT_KEY")
	if file == "" && key == "" {
		return config, nil
	}
	own, err := tls.LoadX509KeyPair(file, key)
	if err != nil {
		return nil, fmt.Errorf("export: %s=%q: %w", name, file, err)
	}
	config.Certificates = []tls.Certificate{own}
	return config, nil
}
