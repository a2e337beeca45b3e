//go:build !linux

package cluster

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sysProcAttr leaves a server in the test's process group, so that an interrupt typed at the
// terminal ends both: nothing else ends the server of a test that is killed.
func sysProcAttr(detached bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: detached}
}

func running(pid int) bool {
	return syscall.Kill(pid, 0) == nil
}

// paused is true when the process is stopped by SIGSTOP.
func paused(pid int) (bool, error) {
	out, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	return strings.HasPrefix(strings.TrimSpace(string(out)), "T"), err
}

// commandLine is the program and the arguments of a process, separated by spaces.
func commandLine(pid int) (string, error) {
	out, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return string(out), err
}

func cpuTime(int) (time.Duration, error) {
	return 0, fmt.Errorf("the processor time of a process is read from Linux's /proc: %w", errors.ErrUnsupported)
}
