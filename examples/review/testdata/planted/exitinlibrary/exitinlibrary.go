// Package exitinlibrary connects.
package exitinlibrary

import (
	"fmt"
	"net"
	"os"
)

// Connect connects to a server.
func Connect(address string) (net.Conn, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return c, nil
}
