package command

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openshift/upgrademonitor/cmd/kubectl-mcn/internal/terminal"
	"github.com/openshift/upgrademonitor/phases"
)

// beCommand makes the test binary the command: a command on a terminal must be a process of its
// own.
const beCommand = "KUBECTL_MCN_TEST_BE_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(beCommand) != "" {
		os.Exit(New().Main())
	}
	_ = os.Setenv("TERM", "xterm")
	os.Exit(m.Run())
}

// pty is a terminal that a process runs on.
type pty struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	ended  chan struct{}

	mu   sync.Mutex
	more *sync.Cond
	text []byte
	over bool
}

func ioctl(f *os.File, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// asCommand makes a process of the test binary the command. A process with the race detector would sleep for a
// second at its end.
func asCommand(cmd *exec.Cmd) {
	cmd.Env = append(os.Environ(), beCommand+"=1", "TZ=UTC", "GORACE=atexit_sleep_ms=0")
}

// startPTY runs the command on a terminal of a size.
func startPTY(t *testing.T, width, height int, args ...string) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	var number, unlock int32
	require.NoError(t, ioctl(master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock)))
	require.NoError(t, ioctl(master, syscall.TIOCGPTN, unsafe.Pointer(&number)))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	defer slave.Close()

	p := &pty{t: t, master: master, ended: make(chan struct{})}
	p.more = sync.NewCond(&p.mu)
	p.resize(width, height)
	p.cmd = exec.Command(os.Args[0], args...)
	asCommand(p.cmd)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, p.cmd.Start())
	go p.read()
	go func() { _ = p.cmd.Wait(); close(p.ended) }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		_ = master.Close()
	})
	return p
}

func (p *pty) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := p.master.Read(buffer)
		p.mu.Lock()
		p.text = append(p.text, buffer[:n]...)
		p.over = err != nil
		p.more.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *pty) resize(width, height int) {
	size := [4]uint16{uint16(height), uint16(width)}
	require.NoError(p.t, ioctl(p.master, syscall.TIOCSWINSZ, unsafe.Pointer(&size)))
}

// await waits until the screen passes a check.
func (p *pty) await(what string, is func(*emulator) bool, width, height int) (e *emulator) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	isOn := false
	until(p.more, func() bool {
		e = newEmulator(width, height)
		e.write(p.text)
		isOn = is(e)
		return isOn || p.over
	})
	require.True(p.t, isOn, "the screen never shows %s: %q", what, p.text)
	return e
}

// end waits until the command has ended, and all of its output was read.
func (p *pty) end() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.True(p.t, until(p.more, func() bool { return p.over }), "the command does not end: %q", p.text)
	<-p.ended
}

func (p *pty) bytes() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.text)
}

// emulator is a terminal that interprets the sequences that the command uses.
type emulator struct {
	width, height int
	rows          []string // all rows so far: the last ones are on the screen
	row           int
	column        int
	hidden        bool
	unknown       []string
}

func newEmulator(width, height int) *emulator {
	return &emulator{width: width, height: height, rows: []string{""}}
}

func (e *emulator) write(b []byte) {
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '\r':
			e.column = 0
		case '\n':
			e.row++
			if e.row == len(e.rows) {
				e.rows = append(e.rows, "")
			}
		case 0x1b:
			end := i + 2
			for end < len(b) && (b[end] < '@' || b[end] > '~') {
				end++
			}
			if end >= len(b) {
				return
			}
			e.sequence(string(b[i+1 : end+1]))
			i = end
		default:
			line := e.rows[e.row]
			line += strings.Repeat(" ", max(0, e.column-len(line)))
			e.rows[e.row] = line[:e.column] + string(c) + line[min(len(line), e.column+1):]
			e.column++
		}
	}
}

func (e *emulator) sequence(s string) {
	var n int
	switch {
	case s == "[?25l":
		e.hidden = true
	case s == "[?25h":
		e.hidden = false
	case s == "[K":
		e.rows[e.row] = e.rows[e.row][:min(e.column, len(e.rows[e.row]))]
	case s == "[J":
		e.rows = e.rows[:e.row+1]
		e.rows[e.row] = e.rows[e.row][:min(e.column, len(e.rows[e.row]))]
	case strings.HasSuffix(s, "m"):
	case strings.HasSuffix(s, "A"):
		_, _ = fmt.Sscanf(s, "[%dA", &n)
		e.row = max(0, e.row-n)
	default:
		e.unknown = append(e.unknown, s)
	}
}

func (e *emulator) String() string { return strings.Join(e.rows, "\n") }

// many serves a rollout with more nodes in flight than a small terminal shows.
func many(t *testing.T) *server {
	t.Helper()
	s := newServer(t, newPool("worker", newConfig))
	for i := range 30 {
		n := newNode(fmt.Sprintf("worker-%02d", i), "worker", oldConfig, time.Now().Add(-time.Hour))
		update(n, newConfig, time.Now().Add(-3*time.Minute), phases.Drained)
		s.set(n)
	}
	return s
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	s := many(t)
	p := startPTY(t, 80, 24, "-w", "--kubeconfig", s.kubeconfig(t))
	e := p.await("the first screen", func(e *emulator) bool { return strings.Contains(e.String(), "Draining") }, 80, 24)
	assert.True(t, e.hidden, "the cursor is hidden while it is redrawn")
	assert.Contains(t, e.String(), "30 nodes: 30 updating")

	n := newNode("worker-00", "worker", oldConfig, time.Now().Add(-time.Hour))
	update(n, newConfig, time.Now().Add(-10*time.Minute), "")
	s.set(n)
	e = p.await("a change", func(e *emulator) bool { return strings.Contains(e.String(), "29 updating") }, 80, 24)
	assert.Equal(t, 1, strings.Count(e.String(), "POOL"), "redrawn in place: %s", e)
	assert.LessOrEqual(t, len(e.rows), 24)
	for _, row := range e.rows {
		assert.LessOrEqual(t, len(row), 80)
	}

	p.resize(40, 10)
	before := len(p.bytes())
	p.await("the smaller screen", func(*emulator) bool { return bytes.Contains(p.text[before:], []byte("POOL")) }, 80, 24)
	last := p.bytes()[before:]
	last = last[bytes.LastIndex(last, []byte("POOL")):]
	for _, line := range strings.Split(strings.ReplaceAll(string(last), "\x1b[K", ""), "\r\n") {
		if !strings.Contains(line, "\x1b") {
			assert.LessOrEqual(t, len(line), 40, line)
		}
	}

	_, err := p.master.Write([]byte{3}) // Ctrl-C
	require.NoError(t, err)
	p.end()
	assert.Equal(t, exitInterrupted, p.cmd.ProcessState.ExitCode())
	e = newEmulator(80, 24)
	text := p.bytes()
	e.write(text)
	assert.False(t, e.hidden, "the cursor is back")
	assert.Empty(t, e.unknown)
	assert.NotContains(t, string(text), "\x1b[?1049", "no alternate screen")
	assert.NotContains(t, string(text), "goroutine")
}

// TestColors: of a terminal, of a terminal without colors, of a terminal that cannot be redrawn, and of a terminal
// without a size.
func TestColors(t *testing.T) {
	s := newServer(t, rollout()...)
	width := 80
	shown := func(args ...string) string {
		p := startPTY(t, width, 24, append(args, "--kubeconfig", s.kubeconfig(t))...)
		p.end()
		return string(p.bytes())
	}
	assert.Contains(t, shown(), "\x1b[1mPOOL ")
	assert.Contains(t, shown(), "\x1b[31m! worker-4")
	t.Setenv("NO_COLOR", "1")
	plain := shown()
	assert.Contains(t, plain, "Rebooting")
	t.Setenv("TERM", "dumb")
	dumb := shown("-w")
	assert.Contains(t, dumb, "--watch needs a terminal: use kubectl mcn wait, which prints lines")
	assert.NotContains(t, plain+dumb, "\x1b")
	t.Setenv("TERM", "xterm")
	width = 0 // some terminals do not know their size
	assertFits(t, 80, strings.ReplaceAll(shown(), "\r", ""))
}

// TestUnreachableServer keeps the last screen, and continues by itself.
func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.failWith(failure{status: http.StatusServiceUnavailable})
	r := startWith(t, fastClock{start: time.Now()}, terminal.Terminal{IsTerminal: true, Size: func() (int, int) { return 80, 24 }}, "-w", "--kubeconfig", s.kubeconfig(t))
	r.awaitError("trying again")
	s.failWith(failure{})
	shows := func(text string, isReachable bool) {
		r.lines.mu.Lock()
		defer r.lines.mu.Unlock()
		isOn := false
		until(r.lines.more, func() bool {
			e := newEmulator(80, 24)
			e.write([]byte(r.lines.text.String()))
			isOn = strings.Contains(e.String(), text) && strings.Contains(e.String(), "reconnecting") != isReachable
			return isOn || r.lines.closed
		})
		require.True(t, isOn, "the screen never shows %s: %s", text, r.stderr)
	}
	shows("30 nodes: 30 updating", true)
	s.failWith(failure{status: http.StatusServiceUnavailable})
	s.CloseClientConnections()
	shows("30 nodes: 30 updating", false)
	s.failWith(failure{})
	shows("30 nodes: 30 updating", true)
	assert.Equal(t, 1, strings.Count(r.stderr.String(), "trying again"), "a note would be in the middle of the screen")
}

// TestPiped: the output is a pipe whose reader reads one line.
func TestPiped(t *testing.T) {
	t.Parallel()
	s := many(t)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd := exec.Command(os.Args[0], "wait", "--kubeconfig", s.kubeconfig(t))
	asCommand(cmd)
	cmd.Stdout, cmd.Stderr = write, &stderr
	require.NoError(t, cmd.Start())
	require.NoError(t, write.Close())
	buffer := make([]byte, 4096)
	n, err := read.Read(buffer)
	require.NoError(t, err)
	assert.Contains(t, string(buffer[:n]), "worker 0/30 to 22222222")
	assert.NotContains(t, string(buffer[:n]), "\x1b")
	require.NoError(t, read.Close())

	node := newNode("worker-00", "worker", oldConfig, time.Now().Add(-time.Hour))
	update(node, newConfig, time.Now().Add(-10*time.Minute), "")
	s.set(node)
	_ = cmd.Wait()
	assert.Empty(t, stderr.String(), "it ends without a message")
}
