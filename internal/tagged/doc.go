// Package tagged is what programs that tag words have in common: sentences and their format, what
// a conditional model knows of a word, and the symbols that a hidden Markov model has for words.
package tagged
