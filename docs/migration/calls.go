//go:build ignore

// Command calls replaces the regular calls of GenerateAndApplyMachineConfigNodes in files of
// machine-config-operator by calls of a Monitor.
//
//	go run calls.go 'dn.monitor' pkg/daemon/update.go …
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
)

func main() {
	for _, file := range os.Args[2:] {
		source, err := os.ReadFile(file)
		if err == nil {
			source, err = replaceCalls(file, string(source), os.Args[1])
		}
		if err == nil {
			err = os.WriteFile(file, source, 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func replaceCalls(file, source, monitor string) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	text := func(n ast.Node) string { return source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset] }
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	ast.Inspect(parsed, func(n ast.Node) bool {
		block, ok := n.(*ast.BlockStmt)
		if clause, isClause := n.(*ast.CaseClause); isClause {
			block, ok = &ast.BlockStmt{List: clause.Body}, true
		}
		if !ok {
			return true
		}
		for i, statement := range block.List {
			assign, ok := statement.(*ast.AssignStmt)
			if !ok || len(assign.Rhs) != 1 {
				continue
			}
			call, ok := assign.Rhs[0].(*ast.CallExpr)
			if !ok || text(call.Fun) != "upgrademonitor.GenerateAndApplyMachineConfigNodes" {
				continue
			}
			end := assign.End()
			if i+1 < len(block.List) { // the log line, which the library writes
				next, isIf := block.List[i+1].(*ast.IfStmt)
				if isIf && text(next.Cond) == text(assign.Lhs[0])+" != nil" && len(next.Body.List) == 1 && strings.HasPrefix(text(next.Body.List[0]), "klog.") {
					end = next.End()
				}
			}
			edits = append(edits, edit{files.Position(assign.Pos()).Offset, files.Position(end).Offset, report(call, monitor, text)})
		}
		return true
	})
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		source = source[:e.from] + e.text + source[e.to:]
	}
	return []byte(source), nil
}

// report returns the call of the Monitor. The arguments of the old call are the parent, the child or nil, their
// statuses, the node, the client, the feature gates and the pool.
func report(call *ast.CallExpr, monitor string, text func(ast.Node) string) string {
	fields := func(e ast.Expr) map[string]string {
		condition := map[string]string{}
		for _, element := range e.(*ast.UnaryExpr).X.(*ast.CompositeLit).Elts {
			field := element.(*ast.KeyValueExpr)
			condition[text(field.Key)] = text(field.Value)
		}
		return condition
	}
	parent, status, options := fields(call.Args[0]), text(call.Args[2]), ""
	if text(call.Args[1]) == "nil" {
		if parent["Reason"] != "string("+parent["State"]+")" {
			options = ", upgrademonitor.Reason(" + parent["Reason"] + ")"
		}
		if status == "metav1.ConditionFalse" && !strings.HasSuffix(parent["State"], "NodeUpdated") {
			status = "metav1.ConditionUnknown" // a step that has failed
		}
		return fmt.Sprintf("%s.Report(context.Background(), %s, %s, %s%s)", monitor, parent["State"], parent["Message"], status, options)
	}
	child, childStatus := fields(call.Args[1]), text(call.Args[3])
	if childStatus == "metav1.ConditionFalse" {
		return fmt.Sprintf("%s.NotRequired(context.Background(), %s, %s)", monitor, child["State"], child["Message"])
	}
	if status == "metav1.ConditionTrue" {
		options = ", upgrademonitor.CompletesParent()"
	}
	return fmt.Sprintf("%s.Report(context.Background(), %s, %s, %s%s)", monitor, child["State"], child["Message"], childStatus, options)
}
