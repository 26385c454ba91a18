// Package openlog appends to a log.
package openlog

import (
	"fmt"
	"os"
)

// Append adds a line to a log.
func Append(name, line string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return err
}
