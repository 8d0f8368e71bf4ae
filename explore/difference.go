package explore

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unsafe"
)

// sameBytes reports whether two states are the same bytes. If they are, they are equal;
// if not, they may be equal all the same: see difference.
func sameBytes[S any](a, b *S) bool {
	size := unsafe.Sizeof(*a)
	if size == 0 {
		return true
	}
	x, y := unsafe.Slice((*byte)(unsafe.Pointer(a)), size), unsafe.Slice((*byte)(unsafe.Pointer(b)), size)
	return string(x) == string(y)
}

// A difference between two states is the first field in which they differ, such as
// Replica[1].Journal[2], and what it is in each.
type difference struct{ field, got, want string }

// differ looks for a difference. A slice or map that is nil is as good as an empty one,
// what a pointer or an interface holds counts and not where it is, and functions are not
// looked into.
func differ[S any](got, want *S) (d difference, differs bool) {
	if sameBytes(got, want) {
		return d, false
	}
	c := comparison{met: map[[2]unsafe.Pointer]bool{}}
	differs = c.differ("", reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem())
	return c.difference, differs
}

type comparison struct {
	difference
	met map[[2]unsafe.Pointer]bool // pairs of pointers under way or done
}

func (c *comparison) found(path, got, want string) bool {
	c.difference = difference{path, got, want}
	return true
}

// differ compares two values of the same type at a path.
func (c *comparison) differ(path string, a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if c.differ(joined(path, a.Type().Field(i).Name), a.Field(i), b.Field(i)) {
				return true
			}
		}
		return false
	case reflect.Slice:
		if a.Len() != b.Len() {
			return c.found("len("+path+")", strconv.Itoa(a.Len()), strconv.Itoa(b.Len()))
		}
		fallthrough
	case reflect.Array:
		for i := range a.Len() {
			if c.differ(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)) {
				return true
			}
		}
		return false
	case reflect.Map:
		return c.differMaps(path, a, b)
	case reflect.Pointer, reflect.Interface:
		return c.differBehind(path, a, b)
	case reflect.Func:
		return a.IsNil() != b.IsNil() && c.found(path, shown(a), shown(b))
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return x != y && !(math.IsNaN(x) && math.IsNaN(y)) && c.found(path, shown(a), shown(b))
	}
	return !a.Equal(b) && c.found(path, shown(a), shown(b))
}

// differMaps reports, of all keys whose entries differ, the one that is printed first: the
// order of the entries is another one each time.
func (c *comparison) differMaps(path string, a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return c.found("len("+path+")", strconv.Itoa(a.Len()), strconv.Itoa(b.Len()))
	}
	var least *difference
	for _, key := range a.MapKeys() {
		at := fmt.Sprintf("%s[%s]", path, shown(key))
		x, y := a.MapIndex(key), b.MapIndex(key)
		if !y.IsValid() {
			c.found(at, shown(x), "no entry")
		} else if !c.differ(at, x, y) {
			continue
		}
		if d := c.difference; least == nil || d.field < least.field {
			least = &d
		}
	}
	if least != nil {
		c.difference = *least
	}
	return least != nil
}

func (c *comparison) differBehind(path string, a, b reflect.Value) bool {
	if a.IsNil() || b.IsNil() {
		return a.IsNil() != b.IsNil() && c.found(path, shown(a), shown(b))
	}
	if a.Kind() == reflect.Interface {
		if x, y := a.Elem().Type(), b.Elem().Type(); x != y {
			return c.found(path, "a "+x.String(), "a "+y.String())
		}
		return c.differ(path, a.Elem(), b.Elem())
	}
	pair := [2]unsafe.Pointer{a.UnsafePointer(), b.UnsafePointer()}
	if pair[0] == pair[1] || c.met[pair] {
		return false
	}
	c.met[pair] = true
	return c.differ(path, a.Elem(), b.Elem())
}

func joined(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// shown is a value in short. A reflect.Value is printed as what it holds.
func shown(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Func, reflect.Pointer, reflect.Map, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			return "nil"
		}
		return "a " + v.Type().String()
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return shown(v.Elem())
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	}
	return fmt.Sprint(v)
}

// isPlain reports whether a copy of a value shares nothing with it that could change.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !isPlain(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	}
	return true
}
