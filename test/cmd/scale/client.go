package main

import (
	"context"
	"net"
	"net/http"
	"sync"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// client is a client of the API server with its own connection. It counts its requests and bytes.
type client struct {
	mcfg mcfgclientset.Interface
	core kubernetes.Interface

	mu    sync.Mutex // guards total
	total cost
}

// cost is the number of requests and bytes of a client.
type cost struct {
	requests int // a watch counts as one request when it starts
	up, down int // bytes on the connection, with TLS and HTTP/2
}

// newClient returns a client without a rate limit.
func newClient(base *rest.Config) (*client, error) {
	c := &client{}
	config := rest.CopyConfig(base)
	config.Dial = c.dial
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{next, c} })
	transport, err := rest.HTTPClientFor(config) // one HTTP client, so that both clientsets share one connection
	if err != nil {
		return nil, err
	}
	if c.mcfg, err = mcfgclientset.NewForConfigAndClient(config, transport); err != nil {
		return nil, err
	}
	c.core, err = kubernetes.NewForConfigAndClient(config, transport)
	return c, err
}

// sum returns the total cost of the clients.
func sum(clients ...*client) cost {
	var all cost
	for _, c := range clients {
		c.mu.Lock()
		all.add(c.total, 1)
		c.mu.Unlock()
	}
	return all
}

// add adds another cost if sign is 1, and subtracts it if sign is -1.
func (c *cost) add(other cost, sign int) {
	c.requests += sign * other.requests
	c.up += sign * other.up
	c.down += sign * other.down
}

func (c *client) add(change func(*cost)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.total)
}

type counting struct {
	next   http.RoundTripper
	client *client
}

func (c counting) RoundTrip(request *http.Request) (*http.Response, error) {
	c.client.add(func(total *cost) { total.requests++ })
	return c.next.RoundTrip(request)
}

func (c *client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return countedConn{conn, c}, nil
}

// countedConn is a TCP connection that counts its bytes, including the overhead of TLS.
type countedConn struct {
	net.Conn
	client *client
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.client.add(func(total *cost) { total.down += n })
	return n, err
}

func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.client.add(func(total *cost) { total.up += n })
	return n, err
}
