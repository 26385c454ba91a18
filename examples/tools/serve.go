package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type search struct {
	Text string `json:"text" jsonschema:"a word of the incident"`
}

type incidents struct {
	Found []string `json:"found"`
}

var past = []string{"2026-05-11 payments: a third failed; the circuit breaker was opened", "2026-06-02 mail: the disk was full"}

// serve is a server of the Model Context Protocol on the standard input and output. It adds
// a line for each call to the file that args may name.
func serve(args []string) error {
	made := io.Discard
	if len(args) > 0 {
		file, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		made = file
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "incidents", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "search", Description: "Finds past incidents.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in search) (*sdk.CallToolResult, incidents, error) {
			fmt.Fprintln(made, "search", in.Text)
			out := incidents{Found: []string{}}
			for _, line := range past {
				if strings.Contains(line, in.Text) {
					out.Found = append(out.Found, line)
				}
			}
			return nil, out, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "note", Description: "Adds an incident."},
		func(_ context.Context, _ *sdk.CallToolRequest, in search) (*sdk.CallToolResult, incidents, error) {
			fmt.Fprintln(made, "note", in.Text)
			past = append(past, in.Text)
			return nil, incidents{Found: past}, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "delete", Description: "Deletes an incident."},
		func(context.Context, *sdk.CallToolRequest, search) (*sdk.CallToolResult, incidents, error) {
			return nil, incidents{}, nil
		})
	return s.Run(context.Background(), &sdk.StdioTransport{})
}
