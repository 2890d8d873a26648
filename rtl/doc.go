// Package rtl is a kernel for clocked hardware written as plain Go.
package rtl
