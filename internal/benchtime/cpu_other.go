//go:build !unix

package benchtime

import "time"

var began = time.Now()

// cpuTime stands in for processor time where there is no system call for it.
func cpuTime() time.Duration { return time.Since(began) }
