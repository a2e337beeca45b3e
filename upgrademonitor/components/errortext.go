package components

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxRaw is how much of an error is kept until it is published: more than any line of it reads.
const maxRaw = maxBlank*maxMessage + utf8.UTFMax

// errorText returns the text of an error, "" for nil. Only what can be published of it is kept; it is cleaned
// when it is published, so that End costs the same for each error.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	text := textOf(err)
	if len(text) > maxRaw {
		text = strings.Clone(text[:maxRaw])
	}
	return text
}

// textOf calls Error, which may panic: on a typed nil, for example.
func textOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprint(err) // with the panic
		}
	}()
	return err.Error()
}
