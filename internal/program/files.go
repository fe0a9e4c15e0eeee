package program

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// checkFiles returns an error if the files of the flags cannot be used together.
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
	written := p.written()
	for i, o := range written {
		for _, before := range written[:i] {
			if before.flag != o.flag && sameFile(before.name, o.name) {
				return fmt.Errorf("-%s and -%s: both are %s", before.flag, o.flag, o.name)
			}
		}
	}
	return nil
}

// checkInputs returns an error if an output is also an input.
func (p *Program) checkInputs() error {
	for _, o := range p.written() {
		for _, in := range p.inputs {
			if o.name != "-" && in.reads() && *in.name != "-" && sameFile(*in.name, o.name) {
				return fmt.Errorf("-%s and -%s: both are %s, and the input would be overwritten", in.flag, o.flag, o.name)
			}
		}
	}
	return nil
}

// named is a file that a flag names.
type named struct{ flag, name string }

// written returns the files that the program writes: the checkpoint with its additional files,
// and the outputs.
func (p *Program) written() []named {
	var all []named
	if name := p.checkpoint(); name != "" {
		all = append(all, named{"checkpoint", name}, named{"checkpoint", historyFile(name)})
	}
	for _, o := range p.outputs {
		if o.Given() && o.name != os.DevNull {
			all = append(all, named{o.flag, o.name})
		}
	}
	return all
}

// sameFile reports whether two names denote the same file, which would be replaced if it were
// written. It follows links. A device, such as a terminal, is not replaced.
func sameFile(a, b string) bool {
	if a == "-" || b == "-" {
		return a == b
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX != nil || errY != nil {
		return resolved(a) == resolved(b)
	}
	return x.Mode().IsRegular() && os.SameFile(x, y)
}

// resolved returns the name of a file, which need not exist, with the links of its folder
// resolved.
func resolved(name string) string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return filepath.Clean(name)
	}
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	return filepath.Join(folder, filepath.Base(name))
}

// checkOutput returns an error if standard output is a file that the program reads.
func (p *Program) checkOutput(stdout io.Writer) error {
	f, ok := stdout.(*os.File)
	if !ok {
		return nil
	}
	out, err := f.Stat()
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, in := range p.inputs {
		if !in.reads() || *in.name == "-" {
			continue
		}
		if info, err := os.Stat(*in.name); err == nil && os.SameFile(info, out) {
			return fmt.Errorf("-%s %s: it is standard output, too", in.flag, *in.name)
		}
	}
	return nil
}

// input is a file that a flag names and the program reads.
type input struct {
	flag   string
	name   *string
	isFile func(name string) bool // nil: every name is a file name
}

// Input declares a flag that names a file to read; usage describes it. The name - is standard
// input: see tsv.Open, which must open it. If the file does not exist, the program ends before
// it does anything.
func (p *Program) Input(flag, usage string) *string {
	name := new(string)
	p.InputVar(name, flag, usage)
	return name
}

// InputVar is like Input, for an existing variable.
func (p *Program) InputVar(name *string, flag, usage string) {
	p.Flags.StringVar(name, flag, "", usage)
	p.inputs = append(p.inputs, input{flag: flag, name: name})
}

// InputOr is like Input, for a flag whose value may be something other than a file name; isFile
// reports whether it is one.
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

// once returns the file information of an input that can be read only once, such as a pipe, and
// nil for other inputs.
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

// check returns an error if the file cannot be read, as far as this can be determined without
// opening it: a pipe may be opened only once.
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
