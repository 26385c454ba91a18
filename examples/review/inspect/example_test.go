package inspect_test

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

func Example() {
	p, err := inspect.Load(context.Background(), "testdata/risky")
	if err != nil {
		fmt.Println(err)
		return
	}
	risk, _ := inspect.Named("risk")
	for _, f := range risk.Inspect(p)[2:3] {
		fmt.Println(f)
		for _, a := range inspect.Debate(p, f) {
			fmt.Println("-", a)
		}
	}
	careful := inspect.Temper{Caution: 0.8, Curiosity: 0.5, Conformity: 0.5}
	verdict := careful.Judge("risk", inspect.Claims(p, inspect.All(p)))
	fmt.Println(verdict.Stance)
	fmt.Println(verdict.Reason())
	// Output:
	// high exit: 1 call ending the process of whoever imports the package [risky.go:36 Parse (log.Fatal)]
	// - errors (could-return) worsens it: Parse at risky.go:34 returns an error and could return this as one
	// request changes
	// concern 0.98 against a tolerance of 0.53; weightiest: 2 settings giving up a protection (risky.go:68 Client (InsecureSkipVerify))
}

func ExampleLoad() {
	_, err := inspect.Load(context.Background(), "testdata")
	fmt.Println(err)
	// Output: inspect: testdata: no Go files that this platform builds
}
