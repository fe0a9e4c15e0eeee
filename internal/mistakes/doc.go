// Package mistakes has no code. Its test makes the mistakes that somebody new to the library
// makes, and says what the library answers: what is wrong, where, and what was expected, in
// words of the one who made the mistake.
package mistakes
