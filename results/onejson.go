package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// parseOne reads the one value that data is in JSON. Unknown fields and anything after the
// value are errors, which wrap invalid.
func parseOne(data []byte, into any, invalid error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", invalid, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: got more than one value, want one", invalid)
	}
	return nil
}

// writeOne is a value in JSON, for a file of its own. what names it in an error.
func writeOne(value any, what string) ([]byte, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", what, err)
	}
	return append(data, '\n'), nil
}
