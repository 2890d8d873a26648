// Package planted selects one of the mutants that are planted in a program together.
//
// Type mutants.Generated plants them: each is a call of this package, or a comparison with On. Only
// changed copies of the sources import it, for one build (flag -overlay of the go command).
package planted

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
)

// Variable is the environment variable with the number of the mutant.
const Variable = "DIVERGO_PLANTED"

// On is the number of the mutant that acts; 0: none.
var On = number(os.Getenv(Variable))

func number(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s=%s: want the number of a mutant\n", Variable, text)
		os.Exit(2)
	}
	return n
}

// Integer is any integer type.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// Less is a < b, and with mutant n a <= b.
func Less[T cmp.Ordered](n int, a, b T) bool { return a < b || On == n && a == b }

// LessEqual is a <= b, and with mutant n a < b.
func LessEqual[T cmp.Ordered](n int, a, b T) bool { return a < b || On != n && a == b }

// Greater is a > b, and with mutant n a >= b.
func Greater[T cmp.Ordered](n int, a, b T) bool { return a > b || On == n && a == b }

// GreaterEqual is a >= b, and with mutant n a > b.
func GreaterEqual[T cmp.Ordered](n int, a, b T) bool { return a > b || On != n && a == b }

// Plus is x, and with mutant n one more.
func Plus[T Integer](n int, x T) T {
	if On == n {
		return x + 1
	}
	return x
}

// Minus is x, and with mutant n one less.
func Minus[T Integer](n int, x T) T {
	if On == n {
		return x - 1
	}
	return x
}

// And is a & b, and with mutant n a | b.
func And[T Integer](n int, a, b T) T {
	if On == n {
		return a | b
	}
	return a & b
}

// Or is a | b, and with mutant n a & b.
func Or[T Integer](n int, a, b T) T {
	if On == n {
		return a & b
	}
	return a | b
}

// AndNot is a &^ b, and with mutant n a & b.
func AndNot[T Integer](n int, a, b T) T {
	if On == n {
		return a & b
	}
	return a &^ b
}

// Swap is a, and with mutant n b.
func Swap[T any](n int, a, b T) T {
	if On == n {
		return b
	}
	return a
}
