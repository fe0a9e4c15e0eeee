// Package tagged is what example programs that tag words have in common: sentences and
// their format, and what a conditional model knows of a word.
package tagged
