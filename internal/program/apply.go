package program

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/internal/text"
)

// loaded returns what read makes of the file of -load. Errors name it.
func loaded[T any](name string, read func(io.Reader) (T, error)) (m T, err error) {
	f, err := text.Open(name)
	if err != nil {
		return m, err
	}
	defer f.Close()
	if m, err = read(bufio.NewReader(f)); err != nil {
		return m, fmt.Errorf("-load %s: %w", text.Name(name), err)
	}
	return m, nil
}

// Apply declares -apply, the name of a file of new input for the model: see Run.Stream.
// Usage says what a line is and what answers it.
// Standard output is for the answers, even if -o puts them into a file: what would be printed
// there goes to standard error, and so does the JSON object.
func (p *Program) Apply(usage string) *string {
	p.lines = p.Input("apply", "answer the lines of `FILE` in place of the test, each with one line of output. "+usage)
	return p.lines
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
