// Package api keeps what the library exports under review. The idea: baseline.txt is a list
// of every exported declaration, a line each, as it was in the last version; whatever has
// come, gone or changed since must be named under "Unreleased" in the changelog,
// .github/CHANGELOG.md, so that nobody learns of it from a compiler.
//
// A new version moves the entries under a heading of its own and makes the list anew:
//
//	go test ./internal/api -update
//
// The lists of two versions, compared by diff, say what changed between them.
package api
