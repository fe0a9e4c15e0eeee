package program

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/internal/text"
)

// Model is the trained model between one run and the next: the flags -save and -load.
type Model struct {
	save *Output
	load *string
}

// Model declares -save and -load. With -load nothing is trained, so that -save and the flags
// that training names are refused beside it; and so is -load by itself, without one of the
// flags that uses names, which say what to do with the model. Both are lists of names with
// spaces between. It panics if the program has no such flag: call it when it has them all.
func (p *Program) Model(training, uses string) *Model {
	m := &Model{
		save: p.Save("save", "write the trained model to `FILE`, - for standard output"),
		load: p.Input("load", "read the model from `FILE`, as -save has written it, and train none; - for standard input, .gz is read directly"),
	}
	p.Excludes("load", "save "+training)
	p.Needs("load", uses)
	return m
}

// Loads reports whether the model is to be read and not trained.
func (m *Model) Loads() bool { return *m.load != "" }

// Saves reports whether the model is to be written.
func (m *Model) Saves() bool { return m.save.Given() }

// Load makes read read the file of -load. Errors name it.
func (m *Model) Load(read func(io.Reader) error) error {
	f, err := text.Open(*m.load)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := read(bufio.NewReader(f)); err != nil {
		return fmt.Errorf("-load %s: %w", text.Name(*m.load), err)
	}
	return nil
}

// Loaded returns what read makes of the file of -load. Errors name it.
func Loaded[T any](m *Model, read func(io.Reader) (T, error)) (loaded T, err error) {
	err = m.Load(func(r io.Reader) error {
		loaded, err = read(r)
		return err
	})
	return loaded, err
}

// Save makes write write the file of -save, whole or not at all. Without the flag it does
// nothing.
func (m *Model) Save(write func(io.Writer) error) error {
	if !m.Saves() {
		return nil
	}
	return m.save.Write(write)
}

// Apply declares -apply, the name of a file of new input for the model: see Run.Stream.
// Usage says what a line is and what answers it.
// Standard output is for the answers, even if -o puts them into a file: what would be printed
// there goes to standard error, and so does the JSON object.
func (p *Program) Apply(usage string) *string {
	p.lines = p.Input("apply", "in place of the test, answer the lines of `FILE`, - for standard input, each with one line of output. "+usage)
	return p.lines
}

// Best declares -n, the number of answers to a line; usage says how they are written.
func (p *Program) Best(n int, usage string) *int {
	return p.Count("n", n, 1, "write the `N` best answers "+usage)
}

// Excludes makes it an error to give the flag and one of others, a list of names with spaces
// between, which have no effect beside it. It panics if the program has no such flag.
func (p *Program) Excludes(flag, others string) {
	names := p.declared(flag, others)
	p.Check(func() error {
		given := p.given()
		for _, other := range names {
			if given[flag] && given[other] {
				return fmt.Errorf("-%s: has no effect with -%s", other, flag)
			}
		}
		return nil
	})
}

// Needs makes it an error to give the flag without one of others, a list of names with
// spaces between. It panics if the program has no such flag.
func (p *Program) Needs(flag, others string) {
	names := p.declared(flag, others)
	p.Check(func() error {
		given := p.given()
		for _, other := range names {
			if given[other] {
				return nil
			}
		}
		if given[flag] {
			return fmt.Errorf("-%s: want -%s as well", flag, strings.Join(names, " or -"))
		}
		return nil
	})
}

// declared returns the names of others, which are flags like the first.
func (p *Program) declared(first, others string) []string {
	names := strings.Fields(others)
	for _, name := range append(names, first) {
		if p.Flags.Lookup(name) == nil {
			panic(fmt.Sprintf("program: %s has no flag -%s", p.name, name))
		}
	}
	return names
}

// given returns which flags the arguments set, but for those that they set to nothing.
func (p *Program) given() map[string]bool {
	given := map[string]bool{}
	p.Flags.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() != "" })
	return given
}
