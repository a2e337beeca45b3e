package main

import (
	"context"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// client is a client of the API server. It has its own connection, and counts its requests and
// bytes.
type client struct {
	mcfg mcfgclientset.Interface
	core kubernetes.Interface

	mu    sync.Mutex // guards total
	total cost
}

// cost is the number of requests and bytes of a client.
type cost struct {
	requests  map[string]int // by verb; a watch counts as one request when it starts
	conflicts int            // responses with status 409
	up, down  int            // bytes on the connection, with TLS and HTTP/2
}

// newClient returns a client without a rate limit.
func newClient(base *rest.Config) (*client, error) {
	c := &client{total: cost{requests: map[string]int{}}}
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
	all := cost{requests: map[string]int{}}
	for _, c := range clients {
		c.mu.Lock()
		all = all.plus(c.total, 1)
		c.mu.Unlock()
	}
	return all
}

// plus returns c + sign * other. sign is 1 or -1.
func (c cost) plus(other cost, sign int) cost {
	c.requests = maps.Clone(c.requests)
	for verb, n := range other.requests {
		c.requests[verb] += sign * n
	}
	c.conflicts += sign * other.conflicts
	c.up += sign * other.up
	c.down += sign * other.down
	return c
}

func (c cost) all() (n int) {
	for _, requests := range c.requests {
		n += requests
	}
	return n
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
	response, err := c.next.RoundTrip(request)
	verb := strings.ToLower(request.Method)
	if strings.HasPrefix(request.Header.Get("Content-Type"), string(types.ApplyYAMLPatchType)) {
		verb = "apply"
	}
	c.client.add(func(total *cost) {
		total.requests[verb]++
		if err == nil && response.StatusCode == http.StatusConflict {
			total.conflicts++
		}
	})
	return response, err
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
