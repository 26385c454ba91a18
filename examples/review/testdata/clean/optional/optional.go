// Package optional reads settings that may be missing.
package optional

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// Settings are what a user may change.
type Settings struct{ Theme string }

// Read returns the settings in a file, the defaults if there is none.
func Read(name string) (Settings, error) {
	s := Settings{Theme: "light"}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

// Walk calls f for every element of an iterator of names.
func Walk(names []string, f func(string) error) error {
	for _, name := range names {
		if err := f(name); err != nil {
			if errors.Is(err, fs.SkipAll) {
				return nil
			}
			return err
		}
	}
	return nil
}
