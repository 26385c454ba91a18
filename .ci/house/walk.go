package main

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// walk calls visit with the files below root, without fixtures, what npm installs and hidden
// directories, of which .ci is one that it may have.
func walk(root string, ci bool, visit func(path string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch hidden := name != "." && strings.HasPrefix(name, ".") && !(ci && name == ".ci"); {
		case err != nil:
			return err
		case !d.IsDir():
			return visit(path)
		case name == "testdata" || name == "node_modules" || hidden:
			return fs.SkipDir
		}
		return nil
	})
}
