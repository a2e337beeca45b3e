package cluster

import (
	"io"
	"os"
	"strings"
)

// tailLines is how much of a log an error shows.
const tailLines = 20

// serverLog is what one run of a server has written to its log file.
type serverLog struct {
	path string
	from int64 // where this run begins
}

func (l serverLog) read() string {
	file, err := os.Open(l.path)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	defer file.Close()
	content, err := io.ReadAll(io.NewSectionReader(file, l.from, 1<<40))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(content)
}

// tail is the last lines of the run.
func (l serverLog) tail() string {
	lines := strings.Split(strings.TrimRight(l.read(), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// portTaken reports whether the run ended because it could not listen on its port.
func (l serverLog) portTaken() bool {
	return strings.Contains(l.read(), "address already in use")
}
