package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"
)

// requestTimeout is for one readiness check; a paused server answers none.
const requestTimeout = 5 * time.Second

// WaitReady returns when the API server reports that it is ready and serves the default namespace. It
// waits until ctx ends, but two minutes at most. Use it after an outage: ResumeAPIServer and
// StartEtcd return earlier. Safe at any time and from several goroutines.
func (c *Cluster) WaitReady(ctx context.Context) error {
	probe, err := newProbe(c.dir, c.settings.APIServerPort)
	if err != nil {
		return err
	}
	if err := eventually(ctx, probe.ready); err != nil {
		return fmt.Errorf("kube-apiserver is not ready, see %s: %w", c.dir, err)
	}
	return nil
}

// probe asks an API server whether it is ready, over a new connection every time: nothing of
// before an outage can stand in its way.
type probe struct {
	client http.Client
	host   string
}

func newProbe(dir string, port int) (*probe, error) {
	config, err := loadConfig(dir, port)
	if err != nil {
		return nil, err
	}
	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, fmt.Errorf("the certificates in %s are of no use: %w", dir, err)
	}
	transport := &http.Transport{TLSClientConfig: tls, DisableKeepAlives: true}
	return &probe{client: http.Client{Transport: transport, Timeout: requestTimeout}, host: config.Host}, nil
}

func (p *probe) ready(ctx context.Context) error {
	// The namespace is created by the API server itself, some time after it reports that it is ready.
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default"} {
		if err := p.get(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func (p *probe) get(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.host+path, nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", path, response.Status, strings.TrimSpace(string(body)))
	}
	return nil
}
