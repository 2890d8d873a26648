// Package testbench is the host's side.
package testbench
