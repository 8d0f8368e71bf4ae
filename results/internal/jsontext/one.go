package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Parse reads the one value that data is in JSON. Unknown fields and anything after the
// value are errors, which wrap invalid.
func Parse(data []byte, into any, invalid error) error {
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

// Write is a value in JSON, for a file of its own, laid out as [trace.Text] does it. what names
// it in an error.
func Write(value any, what string) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", what, err)
	}
	ordered, err := Decode(data)
	if err == nil {
		data, err = Text(ordered)
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", what, err)
	}
	return data, nil
}

// Decode is the value that data is in JSON: an [Object], []any, or a scalar. Numbers stay as they
// are written.
func Decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return inOrder(d)
}

// inOrder is the next value, whose objects keep the order of their members.
func inOrder(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		object := Object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := inOrder(d)
			if err != nil {
				return nil, err
			}
			object = append(object, Member{name, v})
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := inOrder(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}
