package script

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Unknown has the symbols of a word that do not occur in training, and their replacements. It
// is returned as an error together with the answer, which is still valid.
type Unknown []Replaced

// Replaced is an unknown symbol.
type Replaced struct {
	Symbol   string
	Position int      // in the word, from 1
	By       []string // known symbols; empty if it was left out
}

// Read returns symbols with each unknown one replaced by the closest known one: in the other
// case, composed or decomposed, in the compatible form, or without its marks. If there is no
// such symbol, it is left out.
func Read(symbols []string, known func(string) bool) (read []string, unknown Unknown) {
	for i, s := range symbols {
		if known(s) {
			read = append(read, s)
			continue
		}
		by := closest(s, known)
		read = append(read, by...)
		unknown = append(unknown, Replaced{s, i + 1, by})
	}
	return read, unknown
}

// closest returns known symbols that may replace s, the closest first.
func closest(s string, known func(string) bool) []string {
	for _, change := range []func(string) string{
		norm.NFC.String, norm.NFD.String, norm.NFKC.String, norm.NFKD.String, unmarked,
	} {
		for _, base := range []string{s, strings.ToLower(s), strings.ToUpper(s)} {
			text := change(base)
			if known(text) {
				return []string{text}
			}
			if parts := strings.Split(text, ""); text != "" && all(parts, known) {
				return parts
			}
		}
	}
	return nil
}

func all(symbols []string, known func(string) bool) bool {
	for _, s := range symbols {
		if !known(s) {
			return false
		}
	}
	return true
}

// unmarked returns the characters of s in compatible form without marks above, below and
// around them.
func unmarked(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s)))
}

// LogPenalty returns the contribution of the unknown symbols to the log probability of an
// answer with the given number of symbols. The counterpart of an unknown symbol is uncertain:
// each symbol, or the empty string, may be as probable as the chosen one.
func (u Unknown) LogPenalty(symbols int) float64 {
	return -float64(len(u)) * math.Log(float64(symbols+1))
}

// Err returns u as an error, or nil if all symbols are known.
func (u Unknown) Err() error {
	if len(u) == 0 {
		return nil
	}
	return u
}

// Error lists the unknown symbols and their replacements.
func (u Unknown) Error() string {
	var b strings.Builder
	for i, r := range u {
		if i > 0 {
			b.WriteString("; ")
		}
		if i == maxNamed {
			fmt.Fprintf(&b, "and %d more", len(u)-i)
			break
		}
		fmt.Fprintf(&b, "unknown symbol %q at position %d, ", r.Symbol, r.Position)
		if len(r.By) == 0 {
			b.WriteString("left out")
		} else {
			fmt.Fprintf(&b, "read as %q", strings.Join(r.By, " "))
		}
	}
	return b.String()
}

// maxNamed is the number of unknown symbols that Error names.
const maxNamed = 5
