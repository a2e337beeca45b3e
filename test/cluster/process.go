package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// findProcess returns the PID of the process that has this command line argument.
func findProcess(argument string) (int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte("\x00"+argument+"\x00")) {
			return strconv.Atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return 0, fmt.Errorf("no process has the argument %s", argument)
}

// cpuTime returns the user and system CPU time of a process.
func cpuTime(pid int) (time.Duration, error) {
	fields, err := procStat(strconv.Itoa(pid))
	if err != nil {
		return 0, err
	}
	const utime, stime = 14 - 3, 15 - 3 // fields 14 and 15 in proc(5); fields[0] is field 3
	user, err := strconv.Atoi(fields[utime])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[stime])
	if err != nil {
		return 0, err
	}
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

func signal(pid int, signal syscall.Signal) error {
	if err := syscall.Kill(pid, signal); err != nil {
		return fmt.Errorf("cannot send %v to process %d: %w", signal, pid, err)
	}
	return nil
}

// freeze stops a process, and returns when all of its threads are stopped.
func freeze(pid int) error {
	if err := signal(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	return eventually(context.Background(), "the process is not frozen", func(context.Context) error {
		threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
		if err != nil {
			return err
		}
		for _, thread := range threads {
			// If procStat fails, the thread has ended.
			if fields, err := procStat(thread.Name()); err == nil && fields[0] != "T" {
				return fmt.Errorf("thread %s is in state %s", thread.Name(), fields[0])
			}
		}
		return nil
	})
}

// procStat returns the fields of /proc/<pid>/stat, starting with field 3, the state.
func procStat(pid string) ([]string, error) {
	content, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return nil, err
	}
	// Field 2 is the name of the program in parentheses. The name may contain spaces.
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 20 {
		return nil, fmt.Errorf("/proc/%s/stat has %d fields", pid, len(fields))
	}
	return fields, nil
}
