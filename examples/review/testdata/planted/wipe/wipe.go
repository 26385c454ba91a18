// Package wipe resets workspaces.
package wipe

import "os"

// Reset empties a workspace.
func Reset(workspace string) error {
	if err := os.RemoveAll(workspace); err != nil {
		return err
	}
	return os.Mkdir(workspace, 0o700)
}
