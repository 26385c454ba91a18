package inspect

import (
	"go/ast"
	"go/constant"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// removals lists calls that remove or cut what variables name.
func removals(p *Package) []Finding {
	places := p.calls(func(_ inspector.Cursor, call *ast.CallExpr, callee string) string {
		if !slices.Contains([]string{"os.RemoveAll", "os.Truncate", "(*os.Root).RemoveAll"}, callee) || p.constant(call, 0) != "" {
			return ""
		}
		return callee
	})
	return rule{"removal", Concern}.at(places, count(len(places), "call")+" removing what a variable names")
}

// constant returns the text of an argument whose value is known when the package
// is compiled, "" if it is not.
func (p *Package) constant(call *ast.CallExpr, n int) string {
	if n >= len(call.Args) || p.info.Types[call.Args[n]].Value == nil {
		return ""
	}
	return constant.StringVal(p.info.Types[call.Args[n]].Value)
}

// dynamicCommands lists commands whose program a variable names, and
// dynamicShells those whose shell line is put together at run time.
func dynamicCommands(p *Package) []Finding {
	places := p.commands(func(call *ast.CallExpr, n int) bool { return p.constant(call, n) == "" }, "the program is a variable")
	return rule{"dynamic-command", Concern}.at(places, count(len(places), "command")+" that a variable names")
}

func dynamicShells(p *Package) []Finding {
	places := p.commands(func(call *ast.CallExpr, n int) bool {
		name, flag := p.constant(call, n), strings.ToLower(p.constant(call, n+1))
		shell := strings.HasSuffix(name, "sh") || strings.HasPrefix(name, "cmd")
		return shell && strings.HasSuffix(flag, "c") && len(call.Args) > n+2 && p.constant(call, n+2) == ""
	}, "a shell runs a variable")
	return rule{"dynamic-shell", Defect}.at(places, count(len(places), "shell")+" running a line put together from variables")
}

// commands lists those that match, which takes the index of the program's name.
func (p *Package) commands(match func(*ast.CallExpr, int) bool, note string) []Place {
	return p.calls(func(_ inspector.Cursor, call *ast.CallExpr, callee string) string {
		n := slices.Index([]string{"os/exec.Command", "os/exec.CommandContext"}, callee)
		if n < 0 || p.Path == "os/exec" || !match(call, n) {
			return ""
		}
		return note
	})
}

// exits lists calls that end the process of whoever imports the package.
func exits(p *Package) []Finding {
	if p.Name == "main" || p.Path == "os" || p.Path == "log" {
		return nil
	}
	places := p.calls(func(_ inspector.Cursor, _ *ast.CallExpr, callee string) string {
		if strings.HasPrefix(callee, "log.Fatal") || strings.HasPrefix(callee, "(*log.Logger).Fatal") || callee == "os.Exit" {
			return callee
		}
		return ""
	})
	return rule{"exit", Concern}.at(places, count(len(places), "call")+" ending the process of whoever imports the package")
}
