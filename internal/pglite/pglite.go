// Package pglite starts a real Postgres with pgvector for tests and measurements: PGlite,
// which is Postgres compiled to WebAssembly, run by Node. The script .ci/pglite installs it,
// and SWARMBUS_PGLITE names its directory.
package pglite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// errMissing is returned if no server is named.
var errMissing = errors.New("SWARMBUS_PGLITE names no Postgres; .ci/pglite installs one, and .ci/run tests with it")

// server prints its address and ends with its input.
const server = `
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
const db = await PGlite.create({ extensions: { vector } })
const server = new PGLiteSocketServer({ db, port: 0, host: '127.0.0.1', maxConnections: 16 })
await server.start()
console.log(server.getServerConn())
process.stdin.on('end', () => process.exit(0)).resume()
`

// All connections share one session: those of a pool may not prepare statements that have
// names, and several that ask by the extended protocol at once wait for each other for ever.
const (
	Many = "&default_query_exec_mode=simple_protocol&pool_max_conns=4" // for a URL: several connections
	One  = "&default_query_exec_mode=exec&pool_max_conns=1"            // for a URL: the extended protocol, as with other servers
)

// Start starts a server with an empty database, and returns its URL, for [Many] or [One],
// and a function that stops it.
func Start(ctx context.Context) (url string, stop func(), err error) {
	dir := os.Getenv("SWARMBUS_PGLITE")
	if dir == "" {
		return "", nil, errMissing
	}
	node := exec.CommandContext(ctx, "node", "--input-type=module", "-e", server)
	node.Dir, node.Stderr, node.WaitDelay = dir, os.Stderr, time.Second
	in, err := node.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := node.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := node.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		in.Close()      //nolint:errcheck // it ends with its input
		_ = node.Wait() // however it ended
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("pglite: %w", err)
	}
	return "postgres://postgres@" + strings.TrimSpace(line) + "/postgres?sslmode=disable", stop, nil
}

// Serve starts a server that ends with the test, and returns its URL. It skips the test if
// the server is not installed.
func Serve(t testing.TB) string {
	t.Helper()
	url, stop, err := Start(context.WithoutCancel(t.Context()))
	if errors.Is(err, errMissing) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url
}
