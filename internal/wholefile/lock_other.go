//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package wholefile

import "os"

// Lock takes all files for its own: the system has no locks that end with their process.
func Lock(*os.File) bool { return true }
