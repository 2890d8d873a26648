package ptx

import (
	"strings"

	"divergo/internal/nearest"
)

// didYouMean ends a message with the candidate nearest to word, if any.
func didYouMean(word string, candidates []string) string {
	const longest = 64 // longer words are not typed by people
	if len(word) > longest {
		return ""
	}
	slack := max(1, len(word)/3)
	var close []string
	for _, c := range candidates {
		if c != word && len(c) <= len(word)+slack && len(c) >= len(word)-slack {
			close = append(close, c)
		}
	}
	if n := nearest.Word(word, close); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

// listed prints words as "a, b or c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
