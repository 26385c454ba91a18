// Package fatal reads settings.
package fatal

import (
	"log"
	"os"
)

// Read returns the settings in a file.
func Read(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return data, nil
}
