package config

// UsageError is an error in settings or flags that became known only from the data. The program exits with the code of
// an error in the configuration.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }
