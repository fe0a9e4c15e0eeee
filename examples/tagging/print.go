package main

import (
	"fmt"
	"io"
	"strings"
)

// printSentences writes some sentences with their predicted tags, marking those that
// are wrong.
func printSentences(w io.Writer, sentences []sentence, predicted [][]string) {
	for n := range min(shown, len(sentences)) {
		i := n * len(sentences) / min(shown, len(sentences))
		var tokens []string
		for t, word := range sentences[i].Words {
			token := word + "/" + predicted[i][t]
			if tag := sentences[i].Tags[t]; tag != predicted[i][t] {
				token += "✗" + tag
			}
			tokens = append(tokens, token)
		}
		fmt.Fprintln(w, strings.Join(tokens, " "))
	}
}

// write writes the words with their tags and predicted tags, one a line.
func write(w io.Writer, sentences []sentence, predicted [][]string) error {
	for i, s := range sentences {
		for t, word := range s.Words {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", word, s.Tags[t], predicted[i][t]); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
