package rx

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// ParseDefinitions reads any number of definitions, each ended by a semicolon. The error is an
// *Error, and wraps ErrSyntax or ErrInvalid. Time and memory are as for Parse. Imports are an
// error; use ReadDefinitions for them.
func ParseDefinitions(text string) ([]Definition, error) {
	var ds []Definition
	err := parseDefinitions("", text, nil, func(d Definition) { ds = append(ds, d) }, func(pos position, _ string) error {
		return pos.fault("", invalid(ErrInvalid, "an import in a text that is not read from a file"))
	})
	if err != nil {
		return nil, err
	}
	return ds, nil
}

// parseDefinitions reads the definitions and imports of a text, in their order.
func parseDefinitions(name, text string, file func(pos position, name string) string, define func(Definition), imports func(pos position, name string) error) error {
	p := parser{scanner: newScanner(name, text), file: file}
	for p.blanks(); p.peek() != end; p.blanks() {
		pos := p.pos
		name := p.definition()
		if p.blanks(); name == "import" && p.accept(`"`) {
			name = p.quoted('"')
			if p.expect(";", ";"); p.err == nil {
				p.err = imports(pos, name)
			}
			if p.err != nil {
				return p.err
			}
			continue
		}
		params := p.parameters()
		p.expect("=", "=")
		d := Definition{name, params, p.expr(), pos}
		if p.expect(";", "an operator or ;"); p.err != nil {
			return p.err
		}
		if err := d.check(); err != nil {
			return err
		}
		define(d)
	}
	return p.err
}

// definition reads the name of a definition.
func (p *parser) definition() string {
	pos := p.pos
	if !p.accept(`"`) {
		return p.name("a definition")
	}
	name := p.quoted('"')
	if name == "" {
		p.stop(pos, "", invalid(ErrInvalid, "the name of a file is empty"))
	} else if p.file != nil {
		name = p.file(pos, name)
	}
	return name
}

// ReadDefinitions reads the definitions of a file like ParseDefinitions, and before them the
// definitions of each imported file, once per file. A quoted name in an import or after @ is a path
// relative to the directory of the file. A file named after @ is a string map, which becomes a
// definition whose name is its path. The error is an *Error with the position of the fault, or, if
// a file cannot be read, of the reference to that file.
//
// A line of a string map is a string, which stands for itself, or a pair of strings separated by a
// tab. A third column is a probability, as in angle brackets: a number, the name of a coin, or a
// group and an alternative with a dot between them. Empty lines are skipped. Every character is a
// symbol; there is no quoting. In all files, a byte order mark is dropped, and a line ends with \n,
// \r\n or \r.
func ReadDefinitions(files fs.FS, name string) ([]Definition, error) {
	r := reader{files: files, known: map[string]bool{}}
	if err := r.read(position{}, name); err != nil {
		return nil, err
	}
	return r.definitions, nil
}

// reader reads files of definitions.
type reader struct {
	files       fs.FS
	known       map[string]bool // files that have been read
	depth       int
	definitions []Definition
}

// read reads the file of this name, which is named at pos.
func (r *reader) read(pos position, name string) error {
	if r.known[name] {
		return nil
	}
	r.known[name] = true
	if r.depth++; r.depth > MaxDepth {
		return pos.fault("", invalid(ErrInvalid, "imports nested more than %d deep", MaxDepth))
	}
	defer func() { r.depth-- }()
	content, err := r.content(pos, name)
	if err != nil {
		return err
	}
	from := func(other string) string { return path.Join(path.Dir(name), other) }
	type named struct {
		pos  position
		name string
	}
	var maps []named
	file := func(pos position, other string) string {
		other = from(other)
		maps = append(maps, named{pos, other})
		return other
	}
	define := func(d Definition) { r.definitions = append(r.definitions, d) }
	err = parseDefinitions(name, content, file, define, func(pos position, other string) error { return r.read(pos, from(other)) })
	for i := 0; i < len(maps) && err == nil; i++ {
		err = r.stringMap(maps[i].pos, maps[i].name)
	}
	return err
}

// content returns the text of the file of this name, which is named at pos.
func (r *reader) content(pos position, name string) (string, error) {
	content, err := fs.ReadFile(r.files, name)
	if err != nil {
		return "", pos.fault("", nested.Errorf("%w: %w", ErrName, err))
	}
	if content, err = io.ReadAll(text.NewReader(bytes.NewReader(content))); err != nil {
		return "", pos.fault("", invalid(ErrSyntax, "%s: %w", name, err))
	}
	return string(content), nil
}

// stringMap reads the string map of this name, which is named at pos.
func (r *reader) stringMap(pos position, name string) error {
	if r.known[name] {
		return nil
	}
	r.known[name] = true
	content, err := r.content(pos, name)
	if err != nil {
		return err
	}
	e, err := ParseStringMap(name, content)
	if err == nil {
		r.definitions = append(r.definitions, Definition{Name: name, Expr: e, at: position{&name, 1, 1}})
	}
	return err
}

// ParseStringMap reads the text of a string map, as ReadDefinitions does, and returns the union of
// its pairs. name is the file name for errors; it may be empty.
func ParseStringMap(name, text string) (Expr, error) {
	var es []Expr
	p := parser{scanner: newScanner(name, text)}
	for p.rest != "" {
		if e, ok := p.line(); ok {
			es = append(es, e)
		}
		if p.err != nil {
			return Expr{}, p.err
		}
	}
	if len(es) == 0 {
		return Expr{}, p.pos.fault("", invalid(ErrInvalid, "a string map without strings"))
	}
	return p.at(position{p.pos.file, 1, 1}, Union(es[0], es[1:]...)), p.err
}

// line reads a line of a string map. It returns false if the line is empty.
func (p *parser) line() (e Expr, ok bool) {
	pos := p.pos
	e = p.text(pos, p.column())
	if p.accept("\t") {
		e = p.at(pos, Cross(e, p.text(p.pos, p.column())))
	}
	if p.accept("\t") {
		w := parser{scanner: p.scanner} // for this column only
		w.rest = p.column()
		at := w.pos
		prob := w.prob()
		if w.peek() != end {
			w.fail("the end of the line")
		}
		p.err = w.err
		e = p.at(pos, Concat(p.at(at, Weight(prob)), e))
	}
	p.accept("\r")
	if p.peek() != end && p.err == nil && !p.newLine() {
		p.fail("the end of the line")
	}
	if p.err == nil && e.n != nil {
		p.err = e.check()
	}
	return e, e.n != nil
}

// column reads a column of a string map.
func (p *parser) column() string {
	return p.while(func(r rune, _ int) bool { return r != '\t' && r != '\n' && r != '\r' && r != utf8.RuneError })
}

// newLine skips a line break.
func (p *parser) newLine() bool {
	if p.peek() != '\n' {
		return false
	}
	p.next()
	return true
}

// Load adds the definitions of a text, as ParseDefinitions and Define do for each.
func (c *Compiler[W]) Load(text string) error {
	ds, err := ParseDefinitions(text)
	if err != nil {
		return err
	}
	return c.DefineAll(ds)
}

// LoadFile adds the definitions of a file and of all files that it imports, as ReadDefinitions and
// Define do for each.
func (c *Compiler[W]) LoadFile(files fs.FS, name string) error {
	ds, err := ReadDefinitions(files, name)
	if err != nil {
		return err
	}
	return c.DefineAll(ds)
}

// DefineAll adds all definitions of ds, as Define does for each. If there is an error, it adds
// none.
func (c *Compiler[W]) DefineAll(ds []Definition) error {
	for i, d := range ds {
		err := c.define(d)
		if err == nil {
			continue
		}
		for _, d := range ds[:i] {
			delete(c.definitions, d.Name)
		}
		var placed *Error
		if errors.As(err, &placed) && placed.Line == 0 {
			at := d.at.fault("", placed.Err)
			at.Definition = placed.Definition
			return at
		}
		return err
	}
	return nil
}
