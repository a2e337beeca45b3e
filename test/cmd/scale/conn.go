package main

import (
	"context"
	"net"
	"sync/atomic"
)

// wire counts the bytes of all connections that its dial has opened.
type wire struct {
	up, down atomic.Int64
}

// dial is the dialer of a rest.Config.
func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &countedConn{Conn: conn, wire: w}, nil
}

// countedConn is a TCP connection, below TLS.
type countedConn struct {
	net.Conn
	wire *wire
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.wire.down.Add(int64(n))
	return n, err
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.wire.up.Add(int64(n))
	return n, err
}
