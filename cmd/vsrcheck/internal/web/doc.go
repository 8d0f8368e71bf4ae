// Package web is the server behind the page of the command explore. The page itself is one of
// package results.
package web
