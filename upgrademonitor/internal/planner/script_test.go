package planner_test

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// script runs commands, which drive a Core against a model of the API server. See usage.
type script struct {
	server model
	core   planner.Core
	err    error // the error of the first command that failed, after which commands do nothing
	out    *strings.Builder

	node   planner.Node    // the Node as the process sees it
	lists  bool            // the process has a Lister that works
	listed *planner.Object // what the Lister returns

	request *planner.Request // the request that has no response yet
	sent    *planner.Result  // the response of the API server that the process has not received yet
	writes  string           // the changes of that request
	over    bool             // the attempt has ended
}

// do runs a command, and writes its output.
func (s *script) do(c command) {
	if s.err == nil {
		s.err = c.run(s)
	}
}

func (s *script) print(format string, args ...any) {
	if s.out != nil {
		fmt.Fprintf(s.out, format+"\n", args...)
	}
}

// see passes the view of the process to the Core.
func (s *script) see() {
	s.core.See(s.listed, s.lists)
}

// submit submits a change.
func (s *script) submit(change planner.Change) error {
	s.see()
	before := len(s.core.Entries())
	entry, err := s.core.Submit(change, s.node)
	switch {
	case err != nil:
		s.print("refused: %s", short(err))
	case entry == nil:
		s.print("the object shows it")
	case len(s.core.Entries()) == before:
		s.print("merged into a pending report")
	default:
		s.print("queued")
	}
	return nil
}

// look looks at the Node, as a Monitor does every 10 seconds.
func (s *script) look() error {
	s.see()
	before := len(s.core.Entries())
	if s.core.Follow(s.node, metav1.NewTime(s.server.now)); len(s.core.Entries()) > before {
		s.print("queued")
	}
	return nil
}

// flush submits the configs and images of the Node, as Flush does.
func (s *script) flush() error {
	change := planner.Change{Node: s.node}
	change.Time = metav1.NewTime(s.server.now)
	return s.submit(change)
}

func (s *script) submitSpec() error {
	change := planner.Change{Node: s.node, WritesSpec: true}
	change.Time = metav1.NewTime(s.server.now)
	return s.submit(change)
}

// next takes the next request of the Core. If there is no next request, s.request stays nil.
func (s *script) next() error {
	s.over = false
	r, ok := s.core.Next(s.node)
	s.settle()
	if !ok {
		s.over = true
		return nil
	}
	s.request, s.sent = &r, nil
	return nil
}

// settle prints which reports were settled.
func (s *script) settle() {
	for _, e := range s.core.TakeSettled() {
		if e.Err != nil {
			s.print("rejected: %s: %s", e.Change, short(e.Err))
		} else {
			s.print("settled: %s", e.Change)
		}
	}
}

// short returns the name of an error of the Core, or the text of another error.
func short(err error) string {
	switch {
	case errors.Is(err, planner.ErrNoUpdate):
		return "ErrNoUpdate"
	case errors.Is(err, planner.ErrFull):
		return "ErrFull"
	}
	words := strings.Split(err.Error(), ": ")
	return strings.Join(words[:min(2, len(words))], ": ") // the rest of the text is advice
}

// send makes the API server perform the request.
func (s *script) send() error {
	if s.request == nil {
		return errNoRequest
	}
	before := s.server.object
	result := s.server.make(*s.request)
	s.sent, s.writes = &result, "OK"
	if s.out != nil && result.Outcome == apierr.OK && s.request.Verb != planner.Get {
		s.writes = changes(before, s.server.object)
	}
	return s.server.problem
}

// respond passes the response of the API server to the Core.
func (s *script) respond() error {
	if s.sent == nil {
		if err := s.send(); err != nil {
			return err
		}
	}
	result := *s.sent
	outcome := string(result.Outcome)
	if result.Outcome == apierr.OK {
		outcome = s.writes
	}
	return s.done(result, outcome)
}

var (
	errNoRequest = errors.New("there is no request: use next")
	errLost      = errors.New("connection reset")
	errAPI       = errors.New("the API server says no")
)

// fail passes a failure to the Core instead of a response.
func (s *script) fail(outcome apierr.Outcome, err error) error {
	if s.request == nil {
		return errNoRequest
	}
	return s.done(planner.Result{Outcome: outcome, Err: err}, string(outcome))
}

// done passes the result of the request to the Core, and prints it as text.
func (s *script) done(result planner.Result, text string) error {
	r := *s.request
	s.request, s.sent = nil, nil
	verdict := s.core.Done(r, result)
	if verdict == planner.Continue {
		s.print("%s: %s", r.Verb, text)
	} else {
		s.print("%s: %s, %s", r.Verb, text, verdict)
	}
	s.settle()
	s.over = verdict == planner.GiveUp
	return nil
}

const maxRequests = 600

// run makes requests until there is nothing to do, or the attempt fails.
func (s *script) run() error {
	for range maxRequests {
		if s.request == nil {
			if err := s.next(); err != nil {
				return err
			}
		}
		if s.request == nil {
			return nil
		}
		if err := s.respond(); err != nil || s.over {
			return err
		}
	}
	return fmt.Errorf("not done after %d requests", maxRequests)
}

// runQuietly calls run, and prints only how many reports were settled.
func (s *script) runQuietly() error {
	out, before := s.out, len(s.core.Entries())
	s.out = nil
	err := s.run()
	s.out = out
	s.print("%d settled", before-len(s.core.Entries()))
	return err
}

// given runs a command and its requests without output.
func (s *script) given(c command) error {
	out := s.out
	s.out = nil
	err := c.run(s)
	if err == nil {
		err = s.run()
	}
	if err == nil {
		err = s.check()
	}
	s.out = out
	return err
}

// restart replaces the process by a new one, which has no pending changes and has not read the object.
func (s *script) restart() {
	s.core = planner.Core{IsController: s.core.IsController}
	s.request, s.sent, s.lists, s.listed, s.over = nil, nil, false, nil, true
}

// check checks that nothing is pending.
func (s *script) check() error {
	if entries := s.core.Entries(); len(entries) > 0 {
		return fmt.Errorf("%s is still pending", entries[0].Change)
	}
	return nil
}
