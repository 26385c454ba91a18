package inspect

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

var (
	panicCall      = rule{"panic", Safety, Medium, 0.7, 4}
	exitCall       = rule{"exit", Safety, High, 0.9, 1}
	exitInMain     = rule{"exit", Safety, Low, 0.6, 4}
	unsafeUse      = rule{"unsafe", Safety, Medium, 0.8, 2}
	dynamicCommand = rule{"dynamic-command", Safety, High, 0.7, 1}
	insecure       = rule{"insecure-setting", Safety, High, 0.85, 0.5}
	endlessRequest = rule{"no-timeout", Safety, Medium, 0.8, 1}
	sleepCall      = rule{"sleep", Safety, Low, 0.6, 2}
	ownContext     = rule{"own-context", Safety, Low, 0.6, 3}
	changedGlobal  = rule{"changed-global", Safety, Medium, 0.7, 3}
)

// panics leaves out functions whose name announces it, and re-panics of what
// was recovered.
func panics(p *Package) []Finding {
	places := p.calls(func(c inspector.Cursor, call *ast.CallExpr) (string, bool) {
		return "panic", p.builtin(call, "panic") && !must(p.around(c)) && !repanics(c, call)
	})
	return panicCall.over(places, 0, count(len(places), "call")+" of panic")
}

// repanics says whether call passes on what recover returned.
func repanics(c inspector.Cursor, call *ast.CallExpr) bool {
	body := functionBody(c)
	if body == nil || len(call.Args) != 1 {
		return false
	}
	id, ok := call.Args[0].(*ast.Ident)
	if !ok {
		return false
	}
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		found = found || recoversInto(n, id.Name)
		return !found
	})
	return found
}

func recoversInto(n ast.Node, name string) bool {
	assign, ok := n.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return false
	}
	left, ok := assign.Lhs[0].(*ast.Ident)
	return ok && left.Name == name && callsRecover(assign.Rhs[0])
}

func callsRecover(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "recover"
}

// exits takes ending the process from a library's caller as a hazard, and from
// functions of a program other than main as a nuisance for its tests.
func exits(p *Package) []Finding {
	places := p.callsOf("os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln",
		"(*log.Logger).Fatal", "(*log.Logger).Fatalf", "(*log.Logger).Fatalln")
	message := count(len(places), "call") + " ending the process"
	if !p.Main() {
		return exitCall.over(places, 0, message+" of whoever imports the package")
	}
	var elsewhere []Place
	for _, at := range places {
		if at.Name != "main" {
			elsewhere = append(elsewhere, at)
		}
	}
	return exitInMain.over(elsewhere, 0, count(len(elsewhere), "call")+" ending the process outside func main")
}

func unsafeUses(p *Package) []Finding {
	places := p.imports("unsafe")
	return unsafeUse.over(places, len(p.Files), count(len(places), "file")+" importing unsafe")
}

// dynamicCommands lists commands whose program, or whose shell line, is put
// together at run time.
func dynamicCommands(p *Package) []Finding {
	if p.Path == "os/exec" {
		return nil
	}
	places := p.calls(func(_ inspector.Cursor, call *ast.CallExpr) (string, bool) {
		args := call.Args
		switch p.callee(call) {
		case "os/exec.CommandContext":
			args = args[min(1, len(args)):]
		case "os/exec.Command":
		default:
			return "", false
		}
		return p.dynamicCommand(args)
	})
	return dynamicCommand.over(places, 0, count(len(places), "command")+" put together from variables")
}

func (p *Package) dynamicCommand(args []ast.Expr) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	if !p.constant(args[0]) {
		return "the program is a variable", true
	}
	if len(args) < 3 || !p.constant(args[1]) {
		return "", false
	}
	name, flag := constant.StringVal(p.value(args[0])), constant.StringVal(p.value(args[1]))
	shell := strings.HasSuffix(name, "sh") || strings.HasPrefix(name, "cmd")
	return "a shell runs a variable", shell && strings.HasSuffix(strings.ToLower(flag), "c") && !p.constant(args[2])
}

// insecureSettings lists TLS without verification and files anyone may write.
func insecureSettings(p *Package) []Finding {
	var places []Place
	for c := range p.code.Preorder((*ast.KeyValueExpr)(nil)) {
		kv := c.Node().(*ast.KeyValueExpr)
		key, ok := kv.Key.(*ast.Ident)
		if v := p.value(kv.Value); ok && key.Name == "InsecureSkipVerify" && v != nil && constant.BoolVal(v) {
			places = append(places, p.place(c, "InsecureSkipVerify"))
		}
	}
	places = append(places, p.calls(func(_ inspector.Cursor, call *ast.CallExpr) (string, bool) {
		return "anyone may write it", p.worldWritable(call)
	})...)
	return insecure.over(places, 0, count(len(places), "setting")+" giving up a protection")
}

// worldWritable looks at Chmod alone: what the other calls in package os are
// given is subject to the umask.
func (p *Package) worldWritable(call *ast.CallExpr) bool {
	if p.callee(call) != "os.Chmod" {
		return false
	}
	mode := p.value(call.Args[len(call.Args)-1])
	if mode == nil {
		return false
	}
	perm, exact := constant.Int64Val(mode)
	return exact && perm&0o002 != 0
}

// endlessRequests lists uses of net/http's package-level client and servers,
// which wait for the other side without end.
func endlessRequests(p *Package) []Finding {
	if strings.HasPrefix(p.Path, "net/http") {
		return nil
	}
	places := p.callsOf("net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm",
		"net/http.ListenAndServe", "net/http.ListenAndServeTLS", "net/http.Serve")
	return endlessRequest.over(places, 0, count(len(places), "use")+" of net/http without a timeout")
}

func sleeps(p *Package) []Finding {
	places := p.callsOf("time.Sleep")
	return sleepCall.over(places, 0, count(len(places), "call")+" of time.Sleep, which no context ends")
}

// ownContexts lists libraries' functions that start a context of their own,
// which their callers cannot cancel.
func ownContexts(p *Package) []Finding {
	if p.Main() {
		return nil
	}
	places := p.callsOf("context.Background", "context.TODO")
	return ownContext.over(places, 0, count(len(places), "context")+" that callers cannot cancel")
}

// changedGlobals lists package-level variables that functions other than init
// assign to. Locks and the like are not assigned to, and so not listed.
func changedGlobals(p *Package) []Finding {
	var places []Place
	seen := make(map[*types.Var]bool)
	note := func(c inspector.Cursor, target ast.Expr) {
		v := p.global(base(target))
		if name := p.around(c); v != nil && !seen[v] && name != "init" && name != "" {
			seen[v] = true
			places = append(places, Place{p.at(c.Node().Pos()), name, "changes " + v.Name()})
		}
	}
	for c := range p.code.Preorder((*ast.AssignStmt)(nil), (*ast.IncDecStmt)(nil)) {
		for _, target := range targets(c.Node()) {
			note(c, target)
		}
	}
	return changedGlobal.over(places, 0, count(len(places), "package-level variable")+" changed while the program runs")
}

func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	}
	return nil
}

// base is the variable whose memory an assignment to e changes: v of v.f, v[i].
func base(e ast.Expr) ast.Expr {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			if _, ok := x.X.(*ast.Ident); !ok {
				e = x.X
				continue
			}
			return x.X
		default:
			return x
		}
	}
}
