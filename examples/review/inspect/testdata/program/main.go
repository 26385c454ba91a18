// Program is a command.
package main

import (
	"fmt"
	"os"
)

func main() {
	run(os.Args[1:])
}

func run(args []string) {
	if len(args) == 0 {
		fmt.Println("usage: program word")
		os.Exit(2)
	}
	fmt.Println(args[0])
}
