// Package hazards removes, runs and ends things.
package hazards

import (
	"log"
	"os"
	"os/exec"
)

func removes(dir string) error {
	if err := os.RemoveAll("build"); err != nil {
		return err
	}
	return os.RemoveAll(dir) // want removal
}

func runs(tool, line string) error {
	if err := exec.Command("git", line).Run(); err != nil {
		return err
	}
	if err := exec.Command("sh", "-c", "date").Run(); err != nil {
		return err
	}
	if err := exec.Command("bash", "-c", line).Run(); err != nil { // want dynamic-shell
		return err
	}
	return exec.Command(tool).Run() // want dynamic-command
}

func ends(name string) error {
	if _, err := os.Stat(name); err != nil {
		log.Fatal(err) // want exit
	}
	return nil
}

func asserts(n int) error {
	if n < 0 {
		log.Fatalf("n is %d", n) // want exit
	}
	return nil
}

func endsWithoutChoice(name string) {
	if _, err := os.Stat(name); err != nil {
		log.Fatal(err) // want exit
	}
}
