package program

import (
	"fmt"
	"os"
	"path/filepath"
)

// input is a file that a flag names and the program reads.
type input struct {
	flag string
	name *string
}

// Input declares a flag that names a file to read; usage says which. Its name - is standard
// input: see tsv.Open, which is to open it. A file that is not there ends the program before
// it does anything.
func (p *Program) Input(flag, usage string) *string {
	name := new(string)
	p.InputVar(name, flag, usage)
	return name
}

// InputVar is Input for a variable that there is.
func (p *Program) InputVar(name *string, flag, usage string) {
	p.Flags.StringVar(name, flag, "", usage)
	p.inputs = append(p.inputs, input{flag, name})
}

// once returns what is behind an input that can be read only once, such as a pipe; nil for
// another one.
func (in input) once() os.FileInfo {
	if *in.name == "-" {
		info, err := os.Stdin.Stat()
		if err != nil {
			return nil
		}
		return info
	}
	if info, err := os.Stat(*in.name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return info
	}
	return nil
}

// check returns why the file cannot be read, as far as that is known without reading it: a
// pipe may be opened only once.
func (in input) check() error {
	if *in.name == "" || *in.name == "-" {
		return nil
	}
	info, err := os.Stat(*in.name)
	if err == nil && info.Mode().IsRegular() {
		var f *os.File
		if f, err = os.Open(*in.name); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("-%s: %w", in.flag, err)
	}
	return nil
}

// checkFiles returns what makes it impossible to use the files that flags name together.
func (p *Program) checkFiles() error {
	for i, in := range p.inputs {
		info := in.once()
		for _, before := range p.inputs[:i] {
			if other := before.once(); info != nil && other != nil && os.SameFile(info, other) && *in.name != os.DevNull {
				return fmt.Errorf("-%s and -%s: both are %s, which can be read only once", before.flag, in.flag, *in.name)
			}
		}
	}
	if p.checkpoint() == "-" {
		return fmt.Errorf("-checkpoint -: want the name of a file")
	}
	taken := map[string]string{} // name to flag
	if name := p.checkpoint(); name != "" {
		taken[filepath.Clean(name)] = "checkpoint"
	}
	for _, o := range p.outputs {
		if !o.Given() || o.name == os.DevNull {
			continue
		}
		name := filepath.Clean(o.name)
		if other, ok := taken[name]; ok {
			return fmt.Errorf("-%s and -%s: both are %s", other, o.flag, o.name)
		}
		taken[name] = o.flag
	}
	return nil
}
