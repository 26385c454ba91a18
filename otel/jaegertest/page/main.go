// Page writes the files of Jaeger's web page into a directory, for the Jaeger
// of this module, which comes without:
//
//	go run ./page DIRECTORY
//	JAEGER_PAGE=DIRECTORY jaeger --config jaeger.yaml
//
// It is the page of Jaeger UI 1.65, as the module jaeger-ui-rest carries it.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"

	jaegerui "github.com/tonistiigi/jaeger-ui-rest"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: page DIRECTORY")
		os.Exit(2)
	}
	if err := write(jaegerui.FS(jaegerui.Config{Menu: []jaegerui.Menu{}}), "/", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// write copies what is below name into a directory.
func write(from http.FileSystem, name, to string) error {
	f, err := from.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	about, err := f.Stat()
	if err != nil {
		return err
	}
	if !about.IsDir() {
		return copyFile(f, to)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	files, err := f.Readdir(-1)
	if err != nil {
		return err
	}
	for _, inner := range files {
		if !fs.ValidPath(inner.Name()) {
			return fmt.Errorf("%q is no file name", inner.Name())
		}
		if err := write(from, path.Join(name, inner.Name()), filepath.Join(to, inner.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from http.File, to string) error {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(from)
	return errors.Join(err, out.Close())
}
