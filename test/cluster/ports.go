package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Servers listen below the range from which Linux and macOS take the ports of outgoing
// connections, so that a client's connection cannot sit on the port of a server that is down for
// a moment and has to come back on it.
const (
	firstPort = 20000
	endPort   = 32768
)

// portAttempts is how many ports a server is tried on when others keep taking them.
const portAttempts = 5

// freePort returns a loopback port that nothing listens on now. Another process may take it
// before it is used.
func freePort() (int, error) {
	var last error
	for range 100 {
		port := firstPort + rand.IntN(endPort-firstPort)
		listener, err := net.Listen("tcp", loopback(port))
		if err == nil {
			return port, listener.Close()
		}
		last = err
	}
	return 0, fmt.Errorf("no free port from %d to %d on 127.0.0.1: %w", firstPort, endPort-1, last)
}

// onFreePort calls start with free ports until it fails for another reason than a taken port.
func onFreePort(pick func() (int, error), start func(port int) error) error {
	var err error
	for range portAttempts {
		port, pickErr := pick()
		if pickErr != nil {
			return pickErr
		}
		if err = start(port); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return err
}

func loopback(port int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
