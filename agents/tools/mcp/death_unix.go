//go:build unix && !linux

package mcp

import "syscall"

// endWithUs does nothing: this system does not tell a process that its parent was killed.
func endWithUs(*syscall.SysProcAttr) {}
