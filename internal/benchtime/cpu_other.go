//go:build !unix

package benchtime

import "time"

var began = time.Now()

// CPU returns elapsed time, because this system has no call for processor time.
func CPU() time.Duration { return time.Since(began) }
