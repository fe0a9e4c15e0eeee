package api

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Declaration is something that a package exports.
type Declaration struct {
	Package string // below the module, as models/hmm
	Name    string // Function, Type, Type.Method, Type.Field
	Text    string // one line: as declared, without names of parameters
}

// String returns d as a line of baseline.txt, and parse reads it.
func (d Declaration) String() string { return d.Package + "." + d.Name + ": " + d.Text }

func parse(line string) (d Declaration, ok bool) {
	name, text, ok := strings.Cut(line, ": ")
	slash := strings.LastIndex(name, "/")
	dot := strings.Index(name[slash+1:], ".")
	if !ok || dot < 0 {
		return d, false
	}
	dot += slash + 1
	return Declaration{name[:dot], name[dot+1:], text}, true
}

// Exported returns what the packages in folder and below export, in order of their lines.
// Packages that other modules cannot import are left out, as are modules of their own.
func Exported(root, folder string) ([]Declaration, error) {
	var all []Declaration
	err := fs.WalkDir(os.DirFS(root), folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		dir := filepath.Join(root, filepath.FromSlash(path))
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return fs.SkipDir
		}
		if slices.Contains([]string{"internal", "testdata", "examples"}, e.Name()) {
			return fs.SkipDir
		}
		of, err := declarations(dir, path)
		all = append(all, of...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	slices.SortFunc(all, func(a, b Declaration) int { return strings.Compare(a.String(), b.String()) })
	// A file for each architecture may declare the same.
	return slices.Compact(all), nil
}

// declarations returns what the files of a folder export, in no order.
func declarations(dir, path string) ([]Declaration, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	l := &lister{path: path}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if f.Name.Name == "main" {
			return nil, nil
		}
		for _, d := range f.Decls {
			l.declaration(d)
		}
	}
	return l.all, nil
}

// lister collects the declarations of a package.
type lister struct {
	path string
	all  []Declaration
}

func (l *lister) add(name, format string, args ...any) {
	l.all = append(l.all, Declaration{l.path, name, fmt.Sprintf(format, args...)})
}

func (l *lister) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		l.function(d)
	case *ast.GenDecl:
		var typ ast.Expr // of constants that follow one with a type, by iota
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				l.typeSpec(s)
			case *ast.ValueSpec:
				if s.Type != nil || len(s.Values) > 0 {
					typ = s.Type
				}
				for _, n := range s.Names {
					if n.IsExported() {
						l.add(n.Name, "%s", strings.TrimSpace(d.Tok.String()+" "+text(typ)))
					}
				}
			}
		}
	}
}

func (l *lister) function(d *ast.FuncDecl) {
	signature := strings.TrimPrefix(text(unnamed(d.Type)), "func")
	if d.Recv == nil {
		if d.Name.IsExported() {
			l.add(d.Name.Name, "func %s%s", d.Name.Name, signature)
		}
		return
	}
	receiver := d.Recv.List[0].Type
	if of := base(receiver); ast.IsExported(of) && d.Name.IsExported() {
		l.add(of+"."+d.Name.Name, "func (%s) %s%s", text(receiver), d.Name.Name, signature)
	}
}

func (l *lister) typeSpec(s *ast.TypeSpec) {
	if !s.Name.IsExported() {
		return
	}
	name := s.Name.Name
	parameters := ""
	if s.TypeParams != nil {
		// Of the parameters of a function, the names are dropped; these are used below.
		parameters = strings.TrimPrefix(text(&ast.FuncType{TypeParams: s.TypeParams, Params: &ast.FieldList{}}), "func")
		parameters = strings.TrimSuffix(parameters, "()")
	}
	head := "type" + parameters
	if s.Assign.IsValid() {
		l.add(name, "%s = %s", head, text(s.Type))
		return
	}
	switch x := s.Type.(type) {
	case *ast.StructType:
		l.add(name, "%s struct", head)
		for _, f := range x.Fields.List {
			l.field(name, f)
		}
	case *ast.InterfaceType:
		l.add(name, "%s interface", head)
		for _, m := range x.Methods.List {
			l.requirement(name, m)
		}
	default:
		l.add(name, "%s %s", head, text(s.Type))
	}
}

func (l *lister) field(of string, f *ast.Field) {
	for _, n := range f.Names {
		if n.IsExported() {
			l.add(of+"."+n.Name, "field %s", text(f.Type))
		}
	}
	if n := base(f.Type); len(f.Names) == 0 && ast.IsExported(n) {
		l.add(of+"."+n, "embedded %s", text(f.Type))
	}
}

func (l *lister) requirement(of string, m *ast.Field) {
	if len(m.Names) == 0 {
		l.add(of, "interface with %s", text(m.Type))
		return
	}
	for _, n := range m.Names {
		f, _ := m.Type.(*ast.FuncType)
		if n.IsExported() {
			l.add(of+"."+n.Name, "required %s%s", n.Name, strings.TrimPrefix(text(unnamed(f)), "func"))
		} else {
			l.add(of, "interface with methods of its package")
		}
	}
}

// base returns the name of a type without its package, pointers and arguments.
func base(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return base(x.X)
	case *ast.IndexExpr:
		return base(x.X)
	case *ast.IndexListExpr:
		return base(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// unnamed returns f without the names of its parameters and results: to change them
// breaks nobody.
func unnamed(f *ast.FuncType) *ast.FuncType {
	return &ast.FuncType{TypeParams: f.TypeParams, Params: nameless(f.Params), Results: nameless(f.Results)}
}

func nameless(l *ast.FieldList) *ast.FieldList {
	if l == nil {
		return nil
	}
	of := new(ast.FieldList)
	for _, f := range l.List {
		for range max(1, len(f.Names)) {
			of.List = append(of.List, &ast.Field{Type: f.Type})
		}
	}
	return of
}

// text returns the source of a type in one line, "" for nil.
func text(x ast.Expr) string {
	if x == nil {
		return ""
	}
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), x); err != nil {
		panic("api: " + err.Error()) // of a strings.Builder, which has none
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
