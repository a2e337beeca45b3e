package rollout

import "fmt"

// ConfigError says which field of a Config cannot be used.
type ConfigError struct {
	Field   string
	Problem string
}

// Error names the field and says what it takes.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("rollout: Config.%s %s", e.Field, e.Problem)
}
