package command

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
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

// If the environment variable beCommand is set, the test binary runs the command, because a command on a terminal has
// to be another process.
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

// asCommand lets a process of the test binary run the command. GORACE prevents that a process with the race detector
// sleeps for a second before it exits.
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

// await waits until the last screen passes a check.
func (p *pty) await(what string, is func(shown string) bool) (shown string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	isOn := false
	until(p.more, func() bool {
		shown = lastScreen(string(p.text))
		isOn = is(shown)
		return isOn || p.over
	})
	require.True(p.t, isOn, "the screen never shows %s: %q", what, p.text)
	return shown
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

// The escape sequences that the command uses. beginScreen begins a screen, and may move the cursor up.
var (
	beginScreen = regexp.MustCompile(`\x1b\[(?:\?25l|(\d+)A)`)
	sequence    = regexp.MustCompile(`\x1b\[(?:\?25[lh]|\d+[Am]|[KJ])`)
)

// lastScreen returns the text of the last screen that was drawn completely.
func lastScreen(output string) string {
	end := strings.LastIndex(output, "\x1b[J")
	screens := beginScreen.Split(output[:max(0, end)], -1)
	return sequence.ReplaceAllString(screens[len(screens)-1], "")
}

// assertInPlace fails unless each screen is drawn over all rows of the screen before.
func assertInPlace(t *testing.T, output string) {
	t.Helper()
	begins := beginScreen.FindAllStringSubmatchIndex(output, -1)
	for i := 1; i < len(begins); i++ {
		before := output[begins[i-1][1]:begins[i][0]]
		assert.Equal(t, fmt.Sprint(strings.Count(before, "\r\n")), output[begins[i][2]:begins[i][3]], "%q", before)
	}
}

// many returns a server with more updating nodes than a small terminal shows.
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

func TestATerminalIsRedrawnInPlace(t *testing.T) {
	t.Parallel()
	s := many(t)
	p := startPTY(t, 80, 24, "-w", "--kubeconfig", s.kubeconfig(t))
	shown := p.await("the first screen", func(shown string) bool { return strings.Contains(shown, "Draining") })
	assert.Contains(t, shown, "30 nodes: 30 updating")
	assert.Contains(t, string(p.bytes()), "\x1b[?25l", "the cursor is hidden while it is redrawn")

	n := newNode("worker-00", "worker", oldConfig, time.Now().Add(-time.Hour))
	update(n, newConfig, time.Now().Add(-10*time.Minute), "")
	s.set(n)
	shown = p.await("a change", func(shown string) bool { return strings.Contains(shown, "29 updating") })
	assertInPlace(t, string(p.bytes()))
	rows := strings.Split(shown, "\r\n")
	assert.LessOrEqual(t, len(rows), 24)
	for _, row := range rows {
		assert.LessOrEqual(t, len(row), 80)
	}

	p.resize(40, 10)
	shown = p.await("the smaller screen", func(shown string) bool { return strings.Count(shown, "\r\n") < 10 })
	for row := range strings.SplitSeq(shown, "\r\n") {
		assert.LessOrEqual(t, len(row), 40, row)
	}

	_, err := p.master.Write([]byte{3}) // Ctrl-C
	require.NoError(t, err)
	p.end()
	assert.Equal(t, exitInterrupted, p.cmd.ProcessState.ExitCode())
	text := string(p.bytes())
	assert.True(t, strings.HasSuffix(text, "\x1b[?25h"), "the cursor is shown again at the end")
	assert.NotContains(t, sequence.ReplaceAllString(text, ""), "\x1b", "the command uses no alternate screen")
	assert.NotContains(t, text, "goroutine")
}

// On a terminal, the output has colors, unless NO_COLOR is set or the terminal cannot be redrawn. A terminal without a
// size has 80 columns.
func TestOnlyATerminalWithColorsGetsColors(t *testing.T) {
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

// While the server is unreachable, the last screen stays. Afterwards the command continues.
func TestTheLastScreenStaysDuringAnOutage(t *testing.T) {
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
			shown := lastScreen(r.lines.text.String())
			isOn = strings.Contains(shown, text) && strings.Contains(shown, "reconnecting") != isReachable
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
	assert.Equal(t, 1, strings.Count(r.stderr.String(), "trying again"), "an outage while a screen is shown adds no note, which would be in the middle of the screen")
}

// If the reader of the output has closed the pipe, the command ends without a message.
func TestAClosedPipeEndsTheCommand(t *testing.T) {
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
	assert.Empty(t, stderr.String(), "the command ends without a message")
}

func TestTheCommandReadsItsStdin(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-f", "-", "--at", "now")
	asCommand(cmd)
	cmd.Stdin = strings.NewReader(asList(t, rollout()...))
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "from stdin  6 nodes: ")
}

func TestAFileThatCannotBeReadIsWrongUsage(t *testing.T) {
	t.Parallel()
	const file = "/proc/self/mem" // the file exists, but its first page cannot be read
	want := "kubectl mcn: cannot read " + file + ": read " + file + ": input/output error\n"
	assert.Equal(t, execution{exitUsage, "", want}, execute(t, "", "-f", file))
}
