package program

import (
	"fmt"
	"os"
)

// input is a file that a flag names and the program reads.
type input struct {
	flag   string
	name   *string
	isFile func(name string) bool // nil: any name is a file's
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
	p.inputs = append(p.inputs, input{flag: flag, name: name})
}

// InputOr is Input for a flag whose value may be something else than the name of a file;
// isFile reports which.
func (p *Program) InputOr(flag, usage string, isFile func(name string) bool) *string {
	name := p.Input(flag, usage)
	p.inputs[len(p.inputs)-1].isFile = isFile
	return name
}

// Inputs returns the flags that name files to read.
func (p *Program) Inputs() []string {
	var flags []string
	for _, in := range p.inputs {
		flags = append(flags, in.flag)
	}
	return flags
}

// Outputs returns the flags that name files to write.
func (p *Program) Outputs() []string {
	var flags []string
	for _, o := range p.outputs {
		flags = append(flags, o.flag)
	}
	if p.state != nil {
		flags = append(flags, "checkpoint")
	}
	return flags
}

// reads reports whether the flag names a file.
func (in input) reads() bool { return *in.name != "" && (in.isFile == nil || in.isFile(*in.name)) }

// once returns what is behind an input that can be read only once, such as a pipe; nil for
// another one.
func (in input) once() os.FileInfo {
	if !in.reads() {
		return nil
	}
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
	if !in.reads() || *in.name == "-" {
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
