// Files is a server of the Model Context Protocol that lists, reads and writes the files of
// one directory, $TRIAGE_DIR, and appends a line to $TRIAGE_DIR.log for each call.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type directory struct {
	root *os.Root
	log  io.Writer
}

type (
	nothing struct{}
	named   struct {
		Name string `json:"name" jsonschema:"the file's name"`
	}
	written struct {
		Name string `json:"name" jsonschema:"the file's name"`
		Text string `json:"text" jsonschema:"what it has afterwards"`
	}
)

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

func (d directory) list(context.Context, *sdk.CallToolRequest, nothing) (*sdk.CallToolResult, any, error) {
	fmt.Fprintln(d.log, "list")
	entries, err := fs.ReadDir(d.root.FS(), ".")
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return text(strings.Join(names, "\n")), nil, err
}

func (d directory) read(_ context.Context, _ *sdk.CallToolRequest, in named) (*sdk.CallToolResult, any, error) {
	fmt.Fprintln(d.log, "read", in.Name)
	content, err := d.root.ReadFile(in.Name)
	return text(string(content)), nil, err
}

func (d directory) write(_ context.Context, _ *sdk.CallToolRequest, in written) (*sdk.CallToolResult, any, error) {
	fmt.Fprintln(d.log, "write", in.Name)
	err := d.root.WriteFile(in.Name, []byte(in.Text), 0o600)
	return text(fmt.Sprintf("%d bytes written to %s", len(in.Text), in.Name)), nil, err
}

func main() {
	dir := os.Getenv("TRIAGE_DIR")
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	calls, err := os.OpenFile(dir+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	d := directory{root, calls}
	s := sdk.NewServer(&sdk.Implementation{Name: "files", Version: "1"}, nil)
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true}
	sdk.AddTool(s, &sdk.Tool{Name: "list", Description: "Lists the files.", Annotations: reads}, d.list)
	sdk.AddTool(s, &sdk.Tool{Name: "read", Description: "Reads a file.", Annotations: reads}, d.read)
	sdk.AddTool(s, &sdk.Tool{Name: "write", Description: "Writes a file."}, d.write)
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) {
		log.Fatal(err)
	}
}
