package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is the maximum number of characters of a token that Quote shows.
const longest = 40

// Quote returns s in quotation marks for a message: at most 40 characters of it, with
// Go's escapes, followed by its length in bytes if there are more.
func Quote(s string) string {
	n := 0
	for i := range s {
		if n++; n > longest {
			return fmt.Sprintf("%q… (%d bytes)", s[:i], len(s))
		}
	}
	return fmt.Sprintf("%q", s)
}

// List returns names for a message, separated by commas: at most the first ten, and names of
// more than 40 characters as Quote formats them.
func List(names []string) string {
	const most = 10
	var all []string
	for i, name := range names {
		if i == most {
			all = append(all, "…")
			break
		}
		if utf8.RuneCountInString(name) > longest {
			name = Quote(name)
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

// Tokens returns args, for a format, such that %q quotes a string like [Quote]. All other
// formatting is unchanged.
func Tokens(args ...any) []any {
	all := make([]any, len(args))
	for i, a := range args {
		if s, ok := a.(string); ok {
			a = token(s)
		}
		all[i] = a
	}
	return all
}

// token is a string in a message.
type token string

// Format implements fmt.Formatter.
func (t token) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprint(f, Quote(string(t)))
		return
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), string(t))
}
