package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sysProcAttr puts a server in a process group of its own, so that an interrupt typed at the
// terminal reaches the test and not the server. Unless detached it is killed when the thread that
// starts it ends.
func sysProcAttr(detached bool) *syscall.SysProcAttr {
	if detached {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// running is false for a process that has ended and only waits for its parent to notice.
func running(pid int) bool {
	fields, err := procStat(pid)
	return err == nil && fields[0] != "Z" && fields[0] != "X"
}

// paused is true when no thread of the process runs any more after SIGSTOP.
func paused(pid int) (bool, error) {
	threads, err := os.ReadDir(procFile(pid, "task"))
	if err != nil {
		return false, err
	}
	for _, thread := range threads {
		tid, err := strconv.Atoi(thread.Name())
		if err != nil {
			return false, err
		}
		// A thread that has ended since is no obstacle. (Each has a folder of its own in /proc.)
		if fields, err := procStat(tid); err == nil && fields[0] != "T" {
			return false, nil
		}
	}
	return true, nil
}

// commandLine is the program and the arguments of a process, separated by spaces.
func commandLine(pid int) (string, error) {
	content, err := os.ReadFile(procFile(pid, "cmdline"))
	return strings.ReplaceAll(string(content), "\x00", " "), err
}

// cpuTime is the processor time that a process has used, in steps of 10 ms.
func cpuTime(pid int) (time.Duration, error) {
	fields, err := procStat(pid)
	if err != nil {
		return 0, err
	}
	const utime, stime = 14 - 3, 15 - 3 // numbers as in proc(5), where the state is the third
	if len(fields) <= stime {
		return 0, fmt.Errorf("%s has too few fields", procFile(pid, "stat"))
	}
	var ticks int64
	for _, field := range fields[utime : stime+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", procFile(pid, "stat"), err)
		}
		ticks += n
	}
	const userHZ = 100 // what the kernel shows to programs, whatever its own clock
	return time.Duration(ticks) * time.Second / userHZ, nil
}

// procStat returns the fields of /proc/<pid>/stat from the state on. There is at least one.
func procStat(pid int) ([]string, error) {
	content, err := os.ReadFile(procFile(pid, "stat"))
	if err != nil {
		return nil, err
	}
	// The second field is the program's name in parentheses and may hold anything.
	end := strings.LastIndexByte(string(content), ')')
	fields := strings.Fields(string(content[end+1:]))
	if len(fields) == 0 {
		return nil, fmt.Errorf("%s has no state", procFile(pid, "stat"))
	}
	return fields, nil
}

func procFile(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
