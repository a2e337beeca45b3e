package planner_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/transitions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/apierr"
	"github.com/openshift/upgrademonitor/upgrademonitor/internal/planner"
)

// command is one line of a script.
type command struct {
	text string
	run  func(*script) error
}

// usage describes the files of testdata, and lists the commands.
const usage = `
A file has one subject. It begins with the reason of its rules. It has a paragraph for each rule, and each paragraph is a
sub-test of TestScripts:

    # A repeated report makes no request. The first sentence is the rule, and the name of the sub-test.

    object between-updates                     each paragraph begins with an object and a new process
    given report Drained=Unknown
    report Drained=Unknown
    run
    ----
    the object shows it                        the output, up to a blank line; more commands may follow

To add a rule, write the comment and the commands, run "go test ./upgrademonitor/internal/planner -run TestScripts -update",
and read the output that the test has written. At the end of a paragraph, nothing may be pending.

object missing|bare|between-updates [controller] [FIELDS]
                                               an object that is missing, has no status, or is between updates
given COMMAND                                  the command and its requests, without output
node FIELDS                                    change the Node

report PHASE=STATUS [OPTIONS] [FIELDS]
report PHASE not required [OPTIONS] [FIELDS]
image-sets NAME@GENERATION=done|failed... [FIELDS]
flush [FIELDS]                                 submit the configs and images of the Node, as Flush does
look [FIELDS]                                  look at the Node, and submit its configs and images if they have changed
spec [FIELDS]                                  call GenerateAndApplyMachineConfigNodeSpec
fill N                                         report NodeDegraded N times, True and False in turn

run                                            make requests until nothing is left to do, or one fails
run quietly                                    the same, without the output of each request
next                                           take the next request
send                                           the API server performs the request, and the response is under way
respond                                        the API server performs the request, unless it was sent, and the response arrives
lose | deny | reject                           no response, a denial (403), or a rejection (422) of the request
restart                                        restart the process
show PHASE                                     print a condition of the object

other report PHASE=STATUS                      another client reports
other add                                      another client adds its own condition
other start|end|desire CONFIG                  another client starts or ends (a second later) an update, or changes only the spec
other touch|delete|create                      another client changes a field that we do not read, deletes or creates the object

lister shows [VERSION]                         the Lister returns the object, or the object with this resourceVersion
lister empty                                   the Lister returns no object

OPTIONS are completes (the parent), message=TEXT, SkipIfRunning, SkipOtherMode and SkipIfNeverUpdated.

FIELDS are fields of the Node as the process sees it: current, desired, currentImage, desiredImage, pool, uid, provisioned,
and mode=Image or mode=object. They keep their values in later commands. At first, they are current=a and desired=a.
`

// simple are the commands without arguments.
var simple = map[string]func(*script) error{
	"look":  (*script).look,
	"spec":  (*script).submitSpec,
	"flush": (*script).flush,

	"run":         (*script).run,
	"run quietly": (*script).runQuietly,
	"next": func(s *script) error {
		err := s.next()
		if s.request != nil {
			s.print("%s", s.request.Verb)
		}
		return err
	},
	"send":    (*script).send,
	"respond": (*script).respond,
	"lose":    func(s *script) error { return s.fail(apierr.Retry, errLost) },
	"deny":    func(s *script) error { return s.fail(apierr.Denied, errAPI) },
	"reject":  func(s *script) error { return s.fail(apierr.Terminal, errAPI) },
	"restart": func(s *script) error { s.restart(); return nil },

	"other add":    func(s *script) error { s.server.addForeign(); return nil },
	"other touch":  func(s *script) error { s.server.bump(false); return nil },
	"other delete": func(s *script) error { s.server.delete(); return nil },
	"other create": func(s *script) error { s.server.createBare(s.node); return nil },

	"lister shows": func(s *script) error { s.show(s.server.object); return nil },
	"lister empty": func(s *script) error { s.lists, s.listed = true, nil; s.see(); return nil },
}

// show has the Lister return an object, if there is one.
func (s *script) show(o planner.Object) {
	if o.UID != "" {
		s.lists, s.listed = true, &o
		s.see()
	}
}

// parse reads a command.
func parse(line string) (command, error) {
	line = strings.Join(strings.Fields(line), " ")
	if setUp, ok := strings.CutPrefix(line, "given "); ok {
		c, err := parse(setUp)
		return command{text: line, run: func(s *script) error { return s.given(c) }}, err
	}
	words := strings.Fields(line)
	set, words, err := setNode(words)
	if err != nil {
		return command{}, err
	}
	run, err := parseWords(words)
	if err != nil {
		return command{}, fmt.Errorf("%q: %w. The commands:\n%s", line, err, usage)
	}
	c := command{text: line}
	c.run = func(s *script) error {
		if s.node.Owner.Name == "" {
			return errNoObject
		}
		set(&s.node)
		return run(s)
	}
	if words[0] == "object" {
		c.run = func(s *script) error { return s.start(words[1], len(words) == 3, set) }
	}
	return c, nil
}

func mustParse(line string) command {
	c, err := parse(line)
	if err != nil {
		panic(err)
	}
	return c
}

// setNode reads the fields of the Node among the words of a command, and returns the other words.
func setNode(words []string) (set func(*planner.Node), rest []string, err error) {
	var sets []func(*planner.Node)
	for _, word := range words {
		field, value, _ := strings.Cut(word, "=")
		switch field {
		case "current":
			sets = append(sets, func(n *planner.Node) { n.CurrentConfig = value })
		case "desired":
			sets = append(sets, func(n *planner.Node) { n.DesiredConfig = value })
		case "currentImage":
			sets = append(sets, func(n *planner.Node) { n.CurrentImage = value })
		case "desiredImage":
			sets = append(sets, func(n *planner.Node) { n.DesiredImage = value })
		case "pool":
			sets = append(sets, func(n *planner.Node) { n.Pool = value })
		case "uid":
			sets = append(sets, func(n *planner.Node) { n.Owner.UID = uid(value) })
		case "mode":
			mode := planner.Mode(strings.TrimPrefix(value, "object"))
			sets = append(sets, func(n *planner.Node) { n.Mode = mode })
		case "provisioned":
			provisioned, err := strconv.ParseBool(value)
			if err != nil {
				return nil, nil, err
			}
			sets = append(sets, func(n *planner.Node) { n.Provisioned = provisioned })
		default:
			rest = append(rest, word)
		}
	}
	return func(n *planner.Node) {
		for _, set := range sets {
			set(n)
		}
	}, rest, nil
}

// parseWords reads a command without the fields of the Node.
func parseWords(words []string) (func(*script) error, error) {
	if run, ok := simple[strings.Join(words, " ")]; ok {
		return run, nil
	}
	switch {
	case len(words) == 1 && words[0] == "node":
		return func(*script) error { return nil }, nil
	case len(words) >= 2 && words[0] == "object" && slices.Contains([]string{"missing", "bare", "between-updates"}, words[1]):
		if len(words) == 2 || len(words) == 3 && words[2] == "controller" {
			return nil, nil
		}
	case len(words) >= 2 && words[0] == "report":
		return parseReport(words[1:])
	case len(words) >= 2 && words[0] == "image-sets":
		return parseImageSets(words[1:])
	case len(words) == 2 && words[0] == "show":
		return func(s *script) error {
			if c := conditions.Find(s.server.object.Status.Conditions, phases.Phase(words[1])); c != nil {
				s.print("%s=%s: %q", c.Type, c.Status, c.Message)
			}
			return nil
		}, nil
	case len(words) == 2 && words[0] == "fill":
		n, err := strconv.Atoi(words[1])
		return func(s *script) error { return s.fill(n) }, err
	case len(words) == 3 && words[0] == "lister" && words[1] == "shows":
		return func(s *script) error {
			o := s.server.object
			o.ResourceVersion = words[2]
			s.show(o)
			return nil
		}, nil
	case len(words) == 3 && words[0] == "other":
		return parseOther(words[1], words[2])
	}
	return nil, errors.New("no such command")
}

func parseReport(words []string) (func(*script) error, error) {
	phase, status, _ := strings.Cut(words[0], "=")
	report := transitions.Report{Phase: phases.Phase(phase), Status: metav1.ConditionStatus(status), Reason: "R" + phase, Message: "m"}
	change := planner.Change{Report: report}
	rest := words[1:]
	if len(rest) >= 2 && rest[0] == "not" && rest[1] == "required" {
		change.NotRequired, rest = true, rest[2:]
	}
	for _, word := range rest {
		option, text, _ := strings.Cut(word, "=")
		switch option {
		case "message":
			change.Message = text
		case "completes":
			change.CompletesParent = true
		case "SkipIfRunning":
			change.SkipIfRunning = true
		case "SkipOtherMode":
			change.SkipOtherMode = true
		case "SkipIfNeverUpdated":
			change.SkipIfNeverUpdated = true
		default:
			return nil, fmt.Errorf("no such option or field: %q", word)
		}
	}
	if phases.KindOf(change.Phase) == "" {
		return nil, fmt.Errorf("no such phase: %q", phase)
	}
	return func(s *script) error {
		c := change
		c.Node, c.Time = s.node, metav1.NewTime(s.server.now)
		return s.submit(c)
	}, nil
}

func parseImageSets(words []string) (func(*script) error, error) {
	var sets []planner.ImageSet
	for _, word := range words {
		name, rest, _ := strings.Cut(word, "@")
		text, outcome, _ := strings.Cut(rest, "=")
		generation, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, err
		}
		set := planner.ImageSet{Name: name, Generation: int32(generation), Done: outcome == "done"}
		if outcome == "failed" {
			set.Failure = "no route"
		}
		sets = append(sets, set)
	}
	return func(s *script) error {
		return s.submit(setsOf(s.node, metav1.NewTime(s.server.now), "", sets...))
	}, nil
}

func parseOther(verb, object string) (func(*script) error, error) {
	switch verb {
	case "start":
		return func(s *script) error { return s.server.start(object, s.node) }, nil
	case "end":
		return func(s *script) error {
			s.server.now = s.server.now.Add(time.Second)
			s.server.end(object, s.server.now)
			return nil
		}, nil
	case "desire":
		return func(s *script) error { s.server.desire(object); return nil }, nil
	case "report":
		phase, status, _ := strings.Cut(object, "=")
		return func(s *script) error {
			s.server.report(phases.Phase(phase), metav1.ConditionStatus(status))
			return nil
		}, nil
	}
	return nil, errors.New("no such command")
}

// start starts again with an object and a new process.
func (s *script) start(object string, controller bool, set func(*planner.Node)) error {
	node := planner.Node{
		Owner: metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "worker-0", UID: "node"},
		Pool:  "worker", Mode: planner.Standard, Provisioned: true,
		Versions: planner.Versions{CurrentConfig: a, DesiredConfig: a},
	}
	set(&node)
	*s = script{out: s.out, node: node, over: true, core: planner.Core{IsController: controller}}
	s.server = model{now: startTime, mode: node.Mode, controller: controller}
	if object == "missing" {
		return nil
	}
	s.server.createBare(node)
	if object == "between-updates" {
		s.server.end(a, startTime.Add(-time.Hour))
		s.server.object.Foreign = []metav1.Condition{foreign}
		if node.Mode == planner.Image {
			s.server.object.Status.ConfigImage.CurrentImage, s.server.object.Status.ConfigImage.DesiredImage = i, i
		}
	}
	return nil
}

// fill submits n reports, so that the queue is full.
func (s *script) fill(n int) error {
	out := s.out
	s.out = nil
	for k := range n {
		r := transitions.Report{Phase: phases.NodeDegraded, Status: metav1.ConditionTrue, Reason: "R", Message: "m", Time: metav1.NewTime(s.server.now)}
		if k%2 == 1 {
			r.Status = metav1.ConditionFalse
		}
		if err := s.submit(planner.Change{Node: s.node, Report: r}); err != nil {
			return err
		}
	}
	s.out = out
	s.print("%d pending", len(s.core.Entries()))
	return nil
}
