package inspect_test

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

func Example() {
	p, err := inspect.Load(context.Background(), "testdata/messy", false)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range inspect.Claims(p, inspect.All(p)) {
		if c.Finding.Inspector != "hazards" {
			continue
		}
		fmt.Println(c.Finding.Grade, c)
		for _, a := range c.Arguments {
			fmt.Println("-", a)
		}
	}
	// Output:
	// concern exit: 1 call ending the process of whoever imports the package (messy.go:23 Read (log.Fatal))
	// - compile (explained) eases it: a comment at messy.go:22 explains it: "Nobody can go on without a session."
	// - errors (could-return) worsens it: Read at messy.go:19 returns an error and could return this as one
	// - tests (untested) worsens it: no test reaches Read at messy.go:19
	// concern removal: 1 call removing what a variable names (messy.go:29 Forget (os.RemoveAll))
	// - tests (untested) worsens it: no test reaches Forget at messy.go:29
}

func ExampleLoad() {
	_, err := inspect.Load(context.Background(), "testdata", false)
	fmt.Println(err)
	// Output: inspect: testdata: no Go files that this platform builds
}
