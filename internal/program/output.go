package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.org/pathsum/internal/wholefile"
)

// Output is a file that a flag names and a program writes. It is opened before the program does
// anything, so that a missing folder is reported before hours of training. It is written whole
// or not at all (see package wholefile). The name - is standard output, and so is another name
// of it, such as /dev/stdout: standard output then has the records alone, and other output goes
// to standard error.
type Output struct {
	flag, name string
	open       *wholefile.File // nil: not opened yet, or already written
	stdout     io.Writer       // nil: a file
}

// Output declares -o, the name of a file for the program's records; record describes their
// lines.
func (p *Program) Output(record string) *Output {
	p.records = p.Save("o", "write the output to `FILE`; lines: "+record)
	return p.records
}

// Save declares a flag that names a file to write; usage describes the contents.
func (p *Program) Save(flag, usage string) *Output {
	o := &Output{flag: flag}
	p.Flags.StringVar(&o.name, flag, "", usage)
	p.outputs = append(p.outputs, o)
	return o
}

// Given reports whether the flag was given.
func (o *Output) Given() bool { return o.name != "" }

// Name returns the name of the file.
func (o *Output) Name() string { return o.name }

// Write makes write write the output, whole or not at all. A file that is not regular, such as
// a pipe, standard output or a terminal, keeps the part written before an error. If the output
// is not given, its contents are discarded.
func (o *Output) Write(write func(io.Writer) error) error {
	if !o.Given() {
		return write(io.Discard)
	}
	return o.direct(func(w io.Writer) error {
		b := bufio.NewWriter(w)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// WriteAll is like Write for several outputs at once.
func WriteAll(outputs []*Output, write func([]io.Writer) error) error {
	if len(outputs) == 0 {
		return write(nil)
	}
	return outputs[0].Write(func(w io.Writer) error {
		return WriteAll(outputs[1:], func(others []io.Writer) error {
			return write(append([]io.Writer{w}, others...))
		})
	})
}

// direct is like Write, without a buffer.
func (o *Output) direct(write func(io.Writer) error) error {
	if o.stdout != nil {
		return write(o.stdout)
	}
	if err := o.prepare(); err != nil {
		return err
	}
	f := o.open
	o.open = nil
	if err := write(f); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}

// prepare opens the file if it is not open yet.
func (o *Output) prepare() (err error) {
	if o.open == nil {
		o.open, err = wholefile.Create(o.name)
	}
	return err
}

// isStandard reports whether the output is the same file as stdout.
func (o *Output) isStandard(stdout io.Writer) bool {
	if o.name == "-" {
		return true
	}
	f, ok := stdout.(*os.File)
	if !ok {
		return false
	}
	out, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(o.name)
	return err == nil && os.SameFile(out, named)
}

// prepare opens all requested outputs, and checks that the inputs exist, before the run r.
func (p *Program) prepare(r *Run, stdout *output) error {
	if err := p.checkOutput(stdout.w); err != nil {
		return err
	}
	for _, in := range p.inputs {
		if err := in.check(); err != nil {
			return err
		}
	}
	for _, o := range p.outputs {
		switch {
		case !o.Given():
		case o.isStandard(stdout.w):
			o.stdout = stdout
			r.leaveStandardOutput()
		default:
			if err := o.prepare(); err != nil {
				return fmt.Errorf("-%s: %w", o.flag, err)
			}
		}
	}
	if p.applies() {
		r.leaveStandardOutput()
	}
	if name := p.checkpoint(); name != "" {
		probe, err := wholefile.Create(name)
		if err == nil {
			err = probe.Discard()
		}
		if err != nil {
			return fmt.Errorf("-checkpoint: %w", err)
		}
	}
	return nil
}

// discard closes the outputs that were opened but not written.
func (p *Program) discard() {
	for _, o := range p.outputs {
		if o.open != nil {
			_ = o.open.Discard() // the run has its own result
			o.open = nil
		}
	}
}

// checkpoint returns the name of the checkpoint, "" without -checkpoint.
func (p *Program) checkpoint() string {
	if p.state == nil {
		return ""
	}
	return *p.state
}

// Figure declares a flag that names a file for a figure, which ends in .svg or .png; shows
// describes the figure.
func (p *Program) Figure(flag, shows string) *Output {
	o := p.Save(flag, "draw "+shows+" in `FILE`, .svg or .png")
	p.Check(func() error {
		if o.Given() && !strings.HasSuffix(o.name, ".svg") && !strings.HasSuffix(o.name, ".png") {
			return fmt.Errorf("-%s %s: want a name that ends in .svg or .png", flag, o.name)
		}
		return nil
	})
	return o
}

// Drawing is a figure, such as a figure.Figure. Programs that draw import package figure; this
// package does not, because gonum/plot has more code than most programs.
type Drawing interface {
	// Write writes the figure in the given format, svg or png.
	Write(w io.Writer, format string) error
}

// Draw writes a figure in the format of the output's extension. It also accepts the results of
// a function that returns an error, and returns that error.
func (o *Output) Draw(f Drawing, err error) error {
	if err != nil {
		return err
	}
	return o.Write(func(w io.Writer) error {
		if err := f.Write(w, strings.TrimPrefix(filepath.Ext(o.name), ".")); err != nil {
			return fmt.Errorf("figure %s: %w", o.name, err)
		}
		return nil
	})
}
