package main

import (
	"fmt"
	"net/http"
	"sync"

	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// party is who asks something of the API server, with a connection of its own: its requests and
// bytes are counted apart. It may be used from any number of goroutines.
type party struct {
	name string
	mcfg mcfgclientset.Interface
	core kubernetes.Interface

	http *http.Client
	wire wire
	mu   sync.Mutex
	seen tally // without the bytes
}

// newParty makes the clients of a party. They share one transport, and no limit holds them back.
func newParty(name string, base *rest.Config) (*party, error) {
	p := &party{name: name, seen: tally{Requests: map[string]int{}}}
	config := rest.CopyConfig(base)
	config.QPS = -1
	config.UserAgent = "scale/" + name
	config.Dial = p.wire.dial
	config.Wrap(p.wrap)
	var err error
	// Made once: client-go does not share the transports of a config with a dialer of its own.
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

// tally is what the party has asked so far.
func (p *party) tally() tally {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.seen.clone()
	t.Up, t.Down = p.wire.up.Load(), p.wire.down.Load()
	return t
}

func (p *party) close() { p.http.CloseIdleConnections() }

func (p *party) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.seen.Requests[verbOf(request)]++
		switch {
		case err == nil && response.StatusCode == http.StatusConflict:
			p.seen.Conflicts++
		case err != nil || response.StatusCode >= http.StatusBadRequest:
			p.seen.Refused++
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
