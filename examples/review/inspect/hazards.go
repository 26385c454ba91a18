package inspect

import (
	"go/ast"
	"go/constant"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// removals lists calls that remove or cut what variables name.
func removals(p *Package) []Finding {
	places := p.calls(func(_ inspector.Cursor, call *ast.CallExpr) (string, bool) {
		name := p.callee(call)
		ok := name == "os.RemoveAll" || name == "os.Truncate" || name == "(*os.Root).RemoveAll"
		return name, ok && len(call.Args) > 0 && !p.constant(call.Args[0])
	})
	return rule{"removal", Concern}.at(places, count(len(places), "call")+" removing what a variable names")
}

// dynamicCommands lists commands whose program, or whose shell line, is put
// together at run time.
func dynamicCommands(p *Package) []Finding {
	var commands, shells []Place
	if p.Path == "os/exec" {
		return nil
	}
	for c := range p.code.Preorder((*ast.CallExpr)(nil)) {
		switch note, shell := p.dynamicCommand(c.Node().(*ast.CallExpr)); {
		case shell:
			shells = append(shells, p.place(c, note))
		case note != "":
			commands = append(commands, p.place(c, note))
		}
	}
	return append(
		rule{"dynamic-command", Concern}.at(commands, count(len(commands), "command")+" that a variable names"),
		rule{"dynamic-shell", Defect}.at(shells, count(len(shells), "shell")+" running a line put together from variables")...)
}

func (p *Package) dynamicCommand(call *ast.CallExpr) (note string, shell bool) {
	args := call.Args
	switch p.callee(call) {
	case "os/exec.CommandContext":
		args = args[min(1, len(args)):]
	case "os/exec.Command":
	default:
		return "", false
	}
	switch {
	case len(args) == 0:
		return "", false
	case !p.constant(args[0]):
		return "the program is a variable", false
	case len(args) < 3 || !p.constant(args[1]) || p.constant(args[2]):
		return "", false
	}
	name, flag := constant.StringVal(p.value(args[0])), constant.StringVal(p.value(args[1]))
	if (strings.HasSuffix(name, "sh") || strings.HasPrefix(name, "cmd")) && strings.HasSuffix(strings.ToLower(flag), "c") {
		return "a shell runs a variable", true
	}
	return "", false
}

// exits lists calls that end the process of whoever imports the package.
func exits(p *Package) []Finding {
	if p.Main() || p.Path == "os" || p.Path == "log" {
		return nil
	}
	places := p.callsOf("os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln",
		"(*log.Logger).Fatal", "(*log.Logger).Fatalf", "(*log.Logger).Fatalln")
	return rule{"exit", Concern}.at(places, count(len(places), "call")+" ending the process of whoever imports the package")
}
