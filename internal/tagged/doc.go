// Package tagged has the code that programs for tagging words share: sentences and their
// format, the features of words in conditional models, and the symbols of words in hidden
// Markov models.
package tagged
