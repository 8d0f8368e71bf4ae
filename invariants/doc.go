// Package invariants declares the properties of the model.
package invariants
