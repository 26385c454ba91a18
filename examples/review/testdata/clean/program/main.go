// Program prints the sizes of files.
package main

import (
	"fmt"
	"log"
	"os"
)

func main() {
	for _, name := range os.Args[1:] {
		info, err := os.Stat(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.Size(), name)
	}
}
