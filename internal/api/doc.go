// Package api keeps the exported names of the library under review. The idea: baseline.zip
// holds the export data of all public packages as they were in the last version, and
// golang.org/x/exp/apidiff compares it with the packages of today. Each difference must be named
// under "Unreleased" in the changelog, .github/CHANGELOG.md, before a user learns of it from a
// compiler.
//
// A new version moves the entries under a heading of its own and writes the baseline anew:
//
//	go -C internal/api test -update
//
// The package is a module of its own, so that users of the library do not depend on apidiff.
package api
