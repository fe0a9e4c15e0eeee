// Package loanwords has the default data of the examples of transliteration.
package loanwords

import _ "embed"

// TSV is words and names from European languages with their usual katakana, in alphabetical
// order, a pair a line: latin<TAB>カ タ カ ナ.
//
//go:embed pairs.tsv
var TSV string
