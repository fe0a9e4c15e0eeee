// Package mistakes checks the messages of errors. A test lists wrong calls, and
// testdata/errors.md has the message of each: the mistake, its position, and the expected
// input, in the user's terms.
//
// Its own tests make the mistakes of users who are new to the library.
package mistakes
