// Package web is the page of the console: one page for a browser, which shows what package
// api serves.
//
//	http.FileServerFS(web.Files())
//
// The page is written in TypeScript with Preact in src, and built by Vite. What is built
// is in dist, checked in, so that a Go toolchain is enough to build swarmbus; .ci/console
// builds it again and compares. The page loads nothing from elsewhere, has no script or
// style inside its HTML, and routes by paths: a server answers those of its screens, and
// all below them, with index.html.
//
// # What agents say
//
// Texts of agents are data. They become text nodes, with control characters and those
// that change the direction of writing shown by their numbers. Only rooms show Markdown:
// HTML in it is text, and the result is purified by a list of allowed elements without
// images, styles, ids and handlers.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns index.html and the files in assets that it needs.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // dist is embedded
	}
	return files
}
