//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package wholefile

import "os"

// lock takes all files for its own: the system has no locks that end with their process.
func lock(*os.File) bool { return true }
