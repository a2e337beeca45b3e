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

// APIServerCPU is the processor time, user and system, that the API server has used since it was
// last started, in steps of 10 ms. Needs Linux.
func (c *Cluster) APIServerCPU() (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.apiServerPID()
	if err != nil {
		return 0, err
	}
	fields, err := procStat(strconv.Itoa(pid))
	if err != nil {
		return 0, err
	}
	const utime, stime = 14 - 3, 15 - 3 // numbers as in proc(5), where the state is the third
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

// signal sends the API server SIGSTOP, and waits until no thread of it runs, or SIGCONT.
func (c *Cluster) signal(signal syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid, err := c.apiServerPID()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, signal); err != nil {
		return fmt.Errorf("cannot send %v to kube-apiserver: %w", signal, err)
	}
	if signal != syscall.SIGSTOP {
		return nil
	}
	return eventually(context.Background(), "kube-apiserver is not frozen", func(context.Context) error {
		threads, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
		if err != nil {
			return err
		}
		for _, thread := range threads {
			// A thread that has ended since is no obstacle.
			if fields, err := procStat(thread.Name()); err == nil && fields[0] != "T" {
				return fmt.Errorf("its thread %s is in state %s", thread.Name(), fields[0])
			}
		}
		return nil
	})
}

// apiServerPID finds the process by the certificates on its command line: envtest keeps it for itself.
func (c *Cluster) apiServerPID() (int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte("--cert-dir="+c.env.ControlPlane.APIServer.CertDir+"\x00")) {
			return strconv.Atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return 0, fmt.Errorf("no process of kube-apiserver in /proc: %w", ErrNotRunning)
}

// procStat returns the fields of /proc/<pid>/stat from the state on.
func procStat(pid string) ([]string, error) {
	content, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return nil, err
	}
	// The second field is the program's name in parentheses and may hold anything.
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 20 {
		return nil, fmt.Errorf("/proc/%s/stat has %d fields", pid, len(fields))
	}
	return fields, nil
}
