// Package asvalue tells what failed.
package asvalue

import (
	"errors"
	"io/fs"
)

// Path returns the path that err is about.
func Path(err error) string {
	var target fs.PathError
	if errors.As(err, target) {
		return target.Path
	}
	return ""
}
