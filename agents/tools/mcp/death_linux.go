package mcp

import "syscall"

// endWithUs has the system kill the command, but not what it started, when the thread that
// starts it ends: see [process.run].
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
