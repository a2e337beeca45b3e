package cluster

import (
	"errors"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFreePortIsOutsideTheRangeOfOutgoingConnections(t *testing.T) {
	port, err := freePort()
	require.NoError(t, err)
	require.GreaterOrEqual(t, port, firstPort)
	require.Less(t, port, endPort)
}

// TestStartOnPortsThatGetTaken has another process win the first port of each server.
func TestStartOnPortsThatGetTaken(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	taken := listener.Addr().(*net.TCPAddr).Port
	picks := 0
	pick := func() (int, error) {
		picks++
		if picks%2 == 1 {
			return taken, nil
		}
		return freePort()
	}

	c, err := Start(t.Context(), Options{pickPort: pick})

	require.NoError(t, err)
	require.Equal(t, 4, picks, "both servers needed a second port")
	require.NoError(t, c.Stop())
}

func TestOnFreePortGivesUp(t *testing.T) {
	pick := func() (int, error) { return 1, nil }
	attempts := 0
	err := onFreePort(pick, func(int) error { attempts++; return errPortTaken })
	require.ErrorIs(t, err, errPortTaken)
	require.Equal(t, portAttempts, attempts)

	other := errors.New("another reason")
	attempts = 0
	err = onFreePort(pick, func(int) error { attempts++; return other })
	require.ErrorIs(t, err, other)
	require.Equal(t, 1, attempts)
}
