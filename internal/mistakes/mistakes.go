package mistakes

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/golden"
)

// Mistake is a wrong call. Want is an error that its error wraps, or nil for a call with a nil
// argument, which panics.
type Mistake struct {
	Call string // in words, unique
	Want error
	Do   func() error
}

// List is a list of mistakes.
type List []Mistake

// Add adds a mistake: its description, the expected error, and the call.
func (l *List) Add(call string, want error, do func() error) {
	*l = append(*l, Mistake{call, want, do})
}

// Check checks that each mistake returns an error, with the message in testdata/errors.md. With
// the flag -update it writes the file.
func Check(t *testing.T, mistakes List) {
	t.Helper()
	text, err := messages(mistakes)
	if err != nil {
		t.Error(err)
	}
	golden.File(t, filepath.Join("testdata", "errors.md"), text)
}

// messages returns the text of the file, and an error for each mistake that is not reported.
func messages(mistakes List) (string, error) {
	var b strings.Builder
	var all []error
	seen := map[string]bool{}
	b.WriteString("# Mistakes, and what is said of them\n")
	for _, x := range mistakes {
		err, panicked := outcome(x.Do)
		switch {
		case seen[x.Call]:
			all = append(all, fmt.Errorf("%s: two mistakes of one name", x.Call))
		case x.Want == nil && !(panicked && strings.Contains(err.Error(), ": nil ")):
			all = append(all, fmt.Errorf("%s: %w, want a panic that names what is nil", x.Call, err))
		case x.Want != nil && (panicked || !errors.Is(err, x.Want)):
			all = append(all, fmt.Errorf("%s: error %w, want one that wraps %q", x.Call, err, x.Want))
		case !named(err.Error()):
			all = append(all, fmt.Errorf("%s: error %w, want one that begins with the name of a package or a file, or with a line", x.Call, err))
		case strings.Contains(err.Error(), "example.org"):
			all = append(all, fmt.Errorf("%s: error %w has the path of a package", x.Call, err))
		default:
			if part := repeated(err.Error()); part != "" {
				all = append(all, fmt.Errorf("%s: error %w says %q twice", x.Call, err, part))
			}
		}
		seen[x.Call] = true
		said := "error"
		if panicked {
			said = "panic"
		}
		fmt.Fprintf(&b, "\n### %s → %s\n\n> %s\n", x.Call, said, strings.ReplaceAll(err.Error(), "\n", "\n> "))
	}
	return b.String(), errors.Join(all...)
}

// named reports whether a message begins with a name, or with the line of a text without one.
func named(message string) bool {
	name, _, ok := strings.Cut(strings.TrimPrefix(message, "line "), ":")
	return ok && name != "" && !strings.ContainsAny(name, " \"")
}

// repeated returns a part of a message that occurs twice between colons, or "".
func repeated(message string) string {
	seen := map[string]bool{}
	for part := range strings.SplitSeq(message, ": ") {
		if seen[part] {
			return part
		}
		seen[part] = true
	}
	return ""
}

// errNone is the outcome of a call without an error.
var errNone = errors.New("none")

// outcome returns the error of a call, or the value of its panic.
func outcome(do func() error) (err error, panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			err, panicked = fmt.Errorf("%v", p), true
		}
	}()
	if err = do(); err == nil {
		err = errNone
	}
	return err, false
}
