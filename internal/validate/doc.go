// Package validate checks the required fields of Config types.
package validate
