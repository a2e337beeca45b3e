package main

import (
	"fmt"
	"net/http"
	"sync"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// party is a client of the API server with a connection of its own, whose requests and bytes are
// counted separately. It is safe for concurrent use.
type party struct {
	name string
	mcfg mcfgclientset.Interface
	core kubernetes.Interface

	http    *http.Client
	wire    wire
	mu      sync.Mutex
	counted tally // without the bytes
}

// newParty creates the clientsets of a party. They share one transport, and have no rate limit.
func newParty(name string, base *rest.Config) (*party, error) {
	p := &party{name: name, counted: tally{Requests: map[string]int{}}}
	config := rest.CopyConfig(base)
	config.QPS = -1
	config.UserAgent = "scale/" + name
	config.Dial = p.wire.dial
	config.Wrap(p.wrap)
	var err error
	// One for all: client-go does not share the transport of a config that has a dialer.
	if p.http, err = rest.HTTPClientFor(config); err != nil {
		return nil, fmt.Errorf("no client for the %s: %w", name, err)
	}
	if p.mcfg, err = mcfgclientset.NewForConfigAndClient(config, p.http); err != nil {
		return nil, fmt.Errorf("no client for the %s: %w", name, err)
	}
	if p.core, err = kubernetes.NewForConfigAndClient(config, p.http); err != nil {
		return nil, fmt.Errorf("no client for the %s: %w", name, err)
	}
	return p, nil
}

// tally returns what the party has requested so far.
func (p *party) tally() tally {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.counted.clone()
	t.Up, t.Down = p.wire.up.Load(), p.wire.down.Load()
	return t
}

func (p *party) close() { p.http.CloseIdleConnections() }

func (p *party) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.counted.Requests[verbOf(request)]++
		switch {
		case err == nil && response.StatusCode == http.StatusConflict:
			p.counted.Conflicts++
		case err != nil || response.StatusCode >= http.StatusBadRequest:
			p.counted.Failed++
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
