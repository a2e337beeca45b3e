package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// process is a server that runs: a child of this process, or one that an earlier process left.
// Its methods may be called from several goroutines.
type process struct {
	name   string
	handle *os.Process
	log    serverLog

	// exited is closed when a child has ended, and exit is then its result. Both are nil for a process
	// that was adopted.
	exited chan struct{}
	exit   error
}

// command is a program to run, and the file for its output.
type command struct {
	name     string
	path     string
	args     []string
	log      string
	detached bool // outlives this process
}

// start runs the command with its output appended to the log file.
func start(c command) (*process, error) {
	file, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cannot open the log of %s: %w", c.name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot read the size of the log of %s: %w", c.name, err)
	}

	cmd := exec.Command(c.path, c.args...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.Env = serverEnv(os.Environ())
	cmd.SysProcAttr = sysProcAttr(c.detached)

	p := &process{name: c.name, log: serverLog{path: c.log, from: info.Size()}, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux kills the child when the thread that made it ends, not the process: this thread
		// belongs to the child until it has exited.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.handle = cmd.Process
		started <- err
		if err == nil {
			p.exit = cmd.Wait()
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", c.name, err)
	}
	return p, nil
}

// adopt takes over a process that an earlier one left running. It returns nil when there is no
// such process any more, or when another program got its number: its command line has to mention
// marker.
func adopt(name string, pid int, log, marker string) *process {
	if pid <= 0 {
		return nil
	}
	handle, err := os.FindProcess(pid)
	if err != nil || !running(pid) {
		return nil
	}
	if line, err := commandLine(pid); err != nil || !strings.Contains(line, marker) {
		return nil
	}
	return &process{name: name, handle: handle, log: serverLog{path: log}}
}

// alive is false for nil.
func (p *process) alive() bool {
	if p == nil {
		return false
	}
	if p.exited == nil {
		return running(p.handle.Pid)
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// exitError returns how a child that is not alive ended.
func (p *process) exitError() error {
	if p.exited == nil || p.exit == nil {
		return fmt.Errorf("%s has exited", p.name)
	}
	return fmt.Errorf("%s has exited: %w", p.name, p.exit)
}

// signal returns ErrNotRunning when the process has ended.
func (p *process) signal(sig syscall.Signal) error {
	if !p.alive() {
		return ErrNotRunning
	}
	err := p.handle.Signal(sig)
	if errors.Is(err, os.ErrProcessDone) {
		return ErrNotRunning
	}
	return err
}

// pause stops the process with SIGSTOP and returns when none of it runs any more: on a busy machine
// its threads go on for some time after the signal was sent.
func (p *process) pause() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	stopped := func(context.Context) (bool, error) {
		if !p.alive() {
			return false, ErrNotRunning
		}
		return paused(p.handle.Pid)
	}
	return wait.PollUntilContextTimeout(context.Background(), time.Millisecond, 30*time.Second, true, stopped)
}

// kill ends the process, paused or not, and returns when it is gone. A process that has ended
// already is fine.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil && !errors.Is(err, ErrNotRunning) {
		return fmt.Errorf("cannot kill %s (process %d): %w", p.name, p.handle.Pid, err)
	}
	gone := func(context.Context) (bool, error) { return !p.alive(), nil }
	if err := wait.PollUntilContextTimeout(context.Background(), 5*time.Millisecond, 30*time.Second, true, gone); err != nil {
		return fmt.Errorf("%s (process %d) is still there after SIGKILL: %w", p.name, p.handle.Pid, err)
	}
	return nil
}

// serverEnv is the environment without the variables from which etcd would take settings.
func serverEnv(environ []string) []string {
	var kept []string
	for _, variable := range environ {
		if !strings.HasPrefix(variable, "ETCD_") {
			kept = append(kept, variable)
		}
	}
	return kept
}
