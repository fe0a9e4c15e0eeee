package program

import (
	"runtime"
	"runtime/debug"
)

// version returns the module that the program was built from, its version as far as the go
// command knew it, and the version of Go.
func version() string {
	path, version := "example.org/pathsum", "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		path, version = info.Main.Path, info.Main.Version
	}
	return path + " " + version + " " + runtime.Version()
}
