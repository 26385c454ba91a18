package inspect

import (
	"go/ast"
	"go/types"
	"strings"
)

// gosecRules are the rules of gosec that count, with what they say.
// Left out are the audits, which list what a person should look at (unsafe,
// dropped errors, conversions, files opened by name) and not what is wrong.
var gosecRules = map[string]struct {
	grade Grade
	says  string
}{
	"G101": {Defect, "a password, key or token in the source"},
	"G106": {Defect, "any SSH host key is accepted"},
	"G108": {Defect, "profiling is served to everyone"},
	"G109": {Defect, "a parsed number is cut to fewer bits"},
	"G110": {Defect, "decompression without a limit"},
	"G111": {Defect, "the whole file system is served"},
	"G116": {Defect, "text that reads in another order than it compiles"},
	"G119": {Defect, "headers with credentials follow redirects"},
	"G121": {Defect, "the protection against cross-origin requests is bypassed"},
	"G123": {Defect, "resumed TLS sessions skip the check of certificates"},
	"G201": {Defect, "SQL put together by formatting"},
	"G202": {Defect, "SQL put together by concatenation"},
	"G203": {Defect, "text marked as safe HTML without escaping"},
	"G303": {Defect, "a temporary file whose name can be guessed"},
	"G305": {Defect, "an archive may write outside its directory"},
	"G401": {Concern, "a broken hash function"},
	"G402": {Defect, "TLS without its protection"},
	"G403": {Defect, "an RSA key under 2048 bits"},
	"G404": {Concern, "random numbers that can be guessed"},
	"G405": {Defect, "a broken cipher"},
	"G407": {Defect, "an initialisation vector that never changes"},
	"G408": {Defect, "an SSH callback that keeps state between keys"},
	"G701": {Defect, "input reaches an SQL query"},
	"G702": {Defect, "input reaches a command"},
	"G703": {Defect, "input reaches a file name"},
	"G704": {Defect, "input reaches the address of a request"},
	"G705": {Defect, "input reaches a page unescaped"},
	"G707": {Defect, "input reaches a mail"},
	"G708": {Defect, "input reaches the text of a template"},
	"G709": {Defect, "input is decoded into anything"},
	"G710": {Defect, "input says where to redirect"},
}

// inputs are the methods and fields by which a server takes input from whoever
// sends a request, and whether they are fields. What a program is told on its
// command line comes from who runs it.
var inputs = map[string]bool{
	"FormValue": false, "PostFormValue": false, "FormFile": false, "PathValue": false, "Query": false, "Cookie": false,
	"UserAgent": false, "Referer": false, "Form": true, "PostForm": true, "Body": true, "Header": true,
}

// tainted says whether a taint rule of gosec holds water in a function: it takes
// every parameter of the right type for input, so the function must be seen to read
// some.
func (p *Package) tainted(rule, function string) bool {
	if !strings.HasPrefix(rule, "G7") {
		return true
	}
	f := p.named[function]
	if f == nil {
		return false
	}
	for n := range ast.Preorder(f.decl) {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			field, known := inputs[sel.Sel.Name]
			if _, isVar := p.info.ObjectOf(sel.Sel).(*types.Var); known && field == isVar {
				return true
			}
		}
	}
	return false
}
