// Package mistakes checks the words in which mistakes are refused. A test lists calls that are
// wrong, and testdata/errors.md has what is said of each: what is wrong, where, and what was
// expected, in words of the one who made the mistake.
//
// Its own tests make the mistakes that somebody new to the library makes.
package mistakes
