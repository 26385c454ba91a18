// Package oldtls has settings of a server.
package oldtls

import "crypto/tls"

// Config returns the settings of our server.
func Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS10}
}
