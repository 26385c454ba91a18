// Package jaegertest is the module of the Jaeger that tests and people read traces with: it
// pins the version of the server, and its command page writes the files of the web page.
package jaegertest
