package components

import (
	"fmt"
	"strconv"
	"strings"
)

// The end of the message of Degraded=True, if there is more than one error.
const (
	othersPrefix = "; and "
	oneOther     = " more error"
	manyOthers   = " more errors"
)

// withOthers returns the line of an error that is published with the number of others.
func withOthers(line string, others int) string {
	suffix := ""
	switch {
	case others > 1:
		suffix = fmt.Sprint(othersPrefix, others, manyOthers)
	case others == 1:
		suffix = othersPrefix + "1" + oneOther
	}
	return oneLine(line, maxMessage-len(suffix)) + suffix
}

// cutOthers returns the error of a message, and the number of others.
func cutOthers(message string) (line string, others int) {
	at := strings.LastIndex(message, othersPrefix)
	if at < 0 {
		return message, 0
	}
	count, ok := strings.CutSuffix(message[at+len(othersPrefix):], manyOthers)
	if !ok {
		count, ok = strings.CutSuffix(message[at+len(othersPrefix):], oneOther)
	}
	n, err := strconv.Atoi(count)
	if !ok || err != nil || n < 1 || n > maxFailed {
		return message, 0
	}
	return message[:at], n
}
