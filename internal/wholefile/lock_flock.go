//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package wholefile

import (
	"errors"
	"os"
	"syscall"
)

// Lock locks a file until it is closed, explicitly or by the end of the process. It returns
// false if another writer has locked it. On file systems without locks it returns true.
func Lock(f *os.File) bool {
	c, err := f.SyscallConn()
	if err != nil {
		return true
	}
	free := true
	err = c.Control(func(fd uintptr) {
		free = !errors.Is(syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
	})
	return free || err != nil
}
