package inspect

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// function is a declared function or method, of the package or of its tests.
type function struct {
	name string // "Publish" or "Bus.Publish"
	decl *ast.FuncDecl
	file *File
	obj  *types.Func // nil without types
}

func (p *Package) indexFunctions() {
	p.named = make(map[string]*function)
	for _, file := range p.Files {
		for _, d := range file.syntax.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok {
				p.addFunction(file, decl)
			}
		}
	}
}

func (p *Package) addFunction(file *File, decl *ast.FuncDecl) {
	f := &function{name: functionName(decl), decl: decl, file: file}
	if obj, ok := p.main.info.Defs[decl.Name].(*types.Func); ok {
		f.obj = obj
	}
	p.funcs = append(p.funcs, f)
	// Tests outside the package may declare the same name; the package's wins.
	if old := p.named[f.name]; old == nil || old.file.Test && !file.Test {
		p.named[f.name] = f
	}
}

// functions returns those of the package, not of its tests.
func (p *Package) functions() []*function {
	var code []*function
	for _, f := range p.funcs {
		if !f.file.Test {
			code = append(code, f)
		}
	}
	return code
}

func (f *function) exported() bool {
	recv := receiver(f.decl)
	return f.decl.Name.IsExported() && (recv == "" || ast.IsExported(recv))
}

func functionName(decl *ast.FuncDecl) string {
	if recv := receiver(decl); recv != "" {
		return recv + "." + decl.Name.Name
	}
	return decl.Name.Name
}

// receiver names the receiver's type without pointer and type parameters.
func receiver(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return ""
	}
	t := ast.Unparen(decl.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// callee returns what a call calls as "os.Exit" or "(*sync.Mutex).Lock", or ""
// for function values, conversions, and packages without types.
func (p *Package) callee(call *ast.CallExpr) string {
	if fn := p.calledFunc(call); fn != nil {
		return fn.FullName()
	}
	return ""
}

func (p *Package) calledFunc(call *ast.CallExpr) *types.Func {
	if !p.Typed() {
		return nil
	}
	if fn, ok := typeutil.Callee(p.main.info, call).(*types.Func); ok {
		return fn.Origin()
	}
	return nil
}

// builtin says whether call calls the predeclared function of that name, not a
// function of the package that shadows it. Without types the name decides.
func (p *Package) builtin(call *ast.CallExpr, name string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, isBuiltin := p.main.info.Uses[id].(*types.Builtin)
	return isBuiltin || !p.Typed()
}

func (p *Package) typeOf(e ast.Expr) types.Type {
	if !p.Typed() {
		return nil
	}
	return p.main.info.TypeOf(e)
}
