//go:build !unix

package benchtime

import "time"

var began = time.Now()

// CPU stands in for processor time where there is no system call for it.
func CPU() time.Duration { return time.Since(began) }
