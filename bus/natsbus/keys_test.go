package natsbus_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/swarmbus/swarmbus/bus/natsbus"
)

// The file has the lines that swarmbus keys prints, of all processes.
func ExampleReadKeys() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "swarm.trust")
	text := `system ps3ex+bCTEkn2nKvWitHb6FtGL9aHyx1yg02EuRO79A=
critic sMbx5WDfKN7edSlD62NcU2+qUZE3lT0AeNlbVr14KLQ= # of n2
critic aI9E4BdYBWvnR6mbXUDoWIVsKa1YfJ1Ov2J3sHp1mV4= # its next one
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		panic(err)
	}
	keys, err := natsbus.ReadKeys(file)
	fmt.Println(len(keys["system"]), len(keys["critic"]), err)
	// Output: 1 2 <nil>
}
