//go:build !unix

package mcp

import "os/exec"

// This system has no process groups: only the command itself is ended.
func group(*exec.Cmd) {}

func terminate(*exec.Cmd) {}

// The error says that the process has ended.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
