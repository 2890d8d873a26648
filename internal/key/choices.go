package key

import (
	"fmt"
	"reflect"

	"divergo/internal/nearest"
)

// Choice is a word that a key takes, with its meaning and its implementation: one function or
// several.
type Choice[W ~string, F any] struct {
	Word W
	Doc  string // in a line
	Does F
}

// Choices are all words of a type, in the order in which they are listed. A new word is one line in
// the table. The docs of keys that explain their words are written separately.
//
//	var schedulers = key.Choices[Scheduler, pick]{}.
//		With(LRR, "loose round robin", (*Issue).roundRobin)
//
//	func (Scheduler) Words() key.Words { return schedulers.Words() }
type Choices[W ~string, F any] []Choice[W, F]

// With adds a word.
func (c Choices[W, F]) With(w W, doc string, does F) Choices[W, F] {
	return append(c, Choice[W, F]{w, doc, does})
}

// Of returns the implementation of a word. The error names the nearest word.
func (c Choices[W, F]) Of(w W) (does F, err error) {
	for i := range c {
		if c[i].Word == w {
			return c[i].Does, nil
		}
	}
	return does, nearest.Unknown("value", string(w), c.Words().names())
}

// Must is Of for a word of a configuration that has been checked. It panics on an unknown word.
func (c Choices[W, F]) Must(w W) F {
	does, err := c.Of(w)
	if err != nil {
		panic(err)
	}
	return does
}

// Doc is the meaning of a word, "" if there is no such word.
func (c Choices[W, F]) Doc(w W) string {
	for i := range c {
		if c[i].Word == w {
			return c[i].Doc
		}
	}
	return ""
}

// List returns the words without their meanings.
func (c Choices[W, F]) List() []W {
	list := make([]W, len(c))
	for i := range c {
		list[i] = c[i].Word
	}
	return list
}

// Words is the list that a key of the type takes.
func (c Choices[W, F]) Words() Words {
	list := make(Words, len(c))
	for i := range c {
		list[i] = Word{string(c[i].Word), c[i].Doc, !reflect.ValueOf(&c[i].Does).Elem().IsZero()}
	}
	return list
}

// Word is a value of a word key, without its implementation.
type Word struct {
	Name  string
	Doc   string
	Works bool // it has an implementation
}

// Words are the words that a type lists with its method Words.
type Words []Word

func (w Words) names() []string {
	list := make([]string, len(w))
	for i := range w {
		list[i] = w[i].Name
	}
	return list
}

// check refuses a word without a name, a meaning or a function.
func (w Words) check() error {
	for i := range w {
		if w[i].Name == "" || w[i].Doc == "" || !w[i].Works {
			return fmt.Errorf("word %d, %q: want a name, a meaning and a function", i, w[i].Name)
		}
	}
	return nil
}
