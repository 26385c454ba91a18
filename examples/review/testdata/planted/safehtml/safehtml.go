// Package safehtml shows comments.
package safehtml

import "html/template"

// Comment returns a comment as HTML.
func Comment(text string) template.HTML {
	return template.HTML("<p>" + text + "</p>")
}
