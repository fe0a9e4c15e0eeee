// Package nested wraps errors of other packages in errors. The idea: a message names one package,
// that whose function was called. What went wrong below says so without the names of the packages
// in between, which the caller may never have heard of.
package nested

import (
	"fmt"
	"strings"
)

// Errorf is fmt.Errorf, but for what the messages of the errors among args begin with: names of
// packages of this library are left out, and so is the message of an error before them in args,
// such as a sentinel of the same text. What is wrapped is the same.
func Errorf(format string, args ...any) error {
	inner := make([]any, len(args))
	before := map[string]bool{} // messages
	for i, a := range args {
		inner[i] = a
		if err, ok := a.(error); ok && err != nil {
			inner[i] = plain(err, before)
			before[err.Error()] = true
		}
	}
	return fmt.Errorf(format, inner...)
}

// plain returns err without names of packages, and without messages of errors before it, that
// its own message begins with.
func plain(err error, before map[string]bool) error {
	text := err.Error()
	message := text
	for {
		name, rest, ok := strings.Cut(message, ": ")
		if !ok || !packages[name] && !before[name] {
			break
		}
		message = rest
	}
	if message == text {
		return err
	}
	return &unnamed{message, err}
}

// unnamed is an error with another message.
type unnamed struct {
	message string
	err     error
}

func (u *unnamed) Error() string { return u.message }

func (u *unnamed) Unwrap() error { return u.err }

// packages are the names with which messages of this library begin.
var packages = map[string]bool{
	"agree": true, "align": true, "batch": true, "bayes": true, "beam": true, "bitext": true, "cascade": true,
	"cfg": true, "channel": true, "convex": true, "counts": true, "crf": true, "edit": true, "em": true,
	"expr": true, "forest": true, "fst": true, "fstio": true, "gold": true, "grammar": true,
	"graph": true, "grid": true, "hmm": true, "merge": true, "moments": true, "msa": true,
	"nbest": true, "ngram": true, "pairgram": true, "pcfg": true, "phylo": true, "privacy": true,
	"rewrite": true, "rx": true, "semiring": true, "table": true, "treebank": true, "trellis": true,
}
