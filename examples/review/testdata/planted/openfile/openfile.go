// Package openfile reads the first line of files.
package openfile

import (
	"bufio"
	"os"
)

// First returns the first line of a file.
func First(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	lines := bufio.NewScanner(f)
	lines.Scan()
	return lines.Text(), lines.Err()
}
