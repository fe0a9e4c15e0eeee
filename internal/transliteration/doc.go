// Package transliteration is what programs share that write names in other scripts.
//
// The idea: a name is letters in one column and katakana in the other. Katakana are read as
// consonants and vowels, one to one, since a letter of a European name mostly is one of these
// and seldom a whole character. A Transliterator is any model of such pairs, asked with texts.
// ReadData reads the pairs of a program, and a Test prints how many of them a Transliterator
// answers as they stand there.
package transliteration
