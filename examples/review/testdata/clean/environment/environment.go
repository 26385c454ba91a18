// Package environment takes its password from outside.
package environment

import (
	"errors"
	"os"
)

const passwordVariable = "APP_PASSWORD"

var ErrNoPassword = errors.New("environment: no password in APP_PASSWORD")

// Password returns the password.
func Password() (string, error) {
	if p := os.Getenv(passwordVariable); p != "" {
		return p, nil
	}
	return "", ErrNoPassword
}
