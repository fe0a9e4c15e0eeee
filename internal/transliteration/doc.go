// Package transliteration has the code that programs for transliterating names share.
//
// The idea: a name has letters in one column and katakana in the other. Katakana are converted
// one to one into consonants and vowels, because a letter of a European name mostly corresponds
// to one of these and seldom to a whole character. A Transliterator is any model of such pairs,
// with texts as queries and answers. ReadData reads the pairs of a program, and a Test prints
// the fraction of them that a Transliterator answers correctly.
package transliteration
