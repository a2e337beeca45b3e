package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// operator is the child process that runs the controllers.
type operator struct {
	cmd     *exec.Cmd
	ask     io.WriteCloser // a line for each request
	answers *json.Decoder
	stopped bool
}

// operatorState is a response of the child process.
type operatorState struct {
	Parties []partyTally
	Memory  memory
}

// startControllers starts the child process and waits until its informers have synced.
func startControllers(ctx context.Context, kubeconfig string) (*operator, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	o := &operator{cmd: exec.CommandContext(ctx, self, controllersCommand, kubeconfig)}
	o.cmd.Stderr = os.Stderr
	if o.ask, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.answers = json.NewDecoder(out)
	if err := o.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the controllers: %w", err)
	}
	if _, err := o.state(); err != nil {
		return nil, errors.Join(err, o.stop())
	}
	return o, nil
}

// state returns what the child process has requested so far, and its memory.
func (o *operator) state() (s operatorState, err error) {
	if _, err := io.WriteString(o.ask, "\n"); err != nil {
		return s, fmt.Errorf("cannot write to the controllers: %w", err)
	}
	if err := o.answers.Decode(&s); err != nil {
		return s, fmt.Errorf("cannot read from the controllers: %w", err)
	}
	return s, nil
}

// stop ends the child process by closing its input. Calls after the first do nothing.
func (o *operator) stop() error {
	if o.stopped {
		return nil
	}
	o.stopped = true
	if err := errors.Join(o.ask.Close(), o.cmd.Wait()); err != nil {
		return fmt.Errorf("the controllers failed: %w", err)
	}
	return nil
}
