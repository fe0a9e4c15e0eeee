// Package api keeps the exported names of the library under review. The idea: baseline.zip
// holds the export data of all public packages of the last version, and
// golang.org/x/exp/apidiff compares it with the current packages. Each difference must be
// listed under "Unreleased" in the changelog, .github/CHANGELOG.md, before users learn of it
// from a compiler.
//
// The first baseline is version 0.1.0. A later version moves the entries under its own heading and
// rewrites the baseline:
//
//	go -C internal/api test -update
//
// The package is a separate module, so that users of the library do not depend on apidiff.
package api
