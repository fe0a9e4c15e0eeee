// Package loanwords has the data that examples of transliteration learn from by default.
package loanwords

import _ "embed"

// TSV is words and names from European languages with their usual katakana, in alphabetical
// order, a pair a line: latin<TAB>カ タ カ ナ.
//
//go:embed pairs.tsv
var TSV string
