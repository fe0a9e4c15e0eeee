// Package english has some pages of English, for programs that learn the language from a text.
package english

import _ "embed"

// Text is 3,700 words in paragraphs, with an empty line between paragraphs.
//
//go:embed english.txt
var Text string
