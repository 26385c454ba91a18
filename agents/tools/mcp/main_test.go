package mcp_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents/tools/mcp"
)

// variable is set in the environment of servers that tests start: it says how the test
// program, which is their command, behaves.
const variable = "SWARMBUS_TEST_SERVER"

// noted is set to a file that exists when the progress of a call has been noted.
const noted = "SWARMBUS_TEST_NOTED"

func TestMain(m *testing.M) {
	if spec, o := behaving("files", "stays"); os.Getenv(variable) == "parent" {
		if _, err := mcp.Open(context.Background(), spec, o); err == nil {
			fmt.Println("opened")
		}
		select {} // until it is killed
	}
	if mode := os.Getenv(variable); mode != "" {
		serve(mode)
		return
	}
	goleak.VerifyTestMain(m)
}
