package cuda

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Caches are cache operators for loads and stores of global and generic memory. Loads and Stores
// apply to instructions without an operator; AllLoads and AllStores replace every operator. ""
// leaves them unchanged.
type Caches struct {
	Loads, Stores       string // ptxas -dlcm, -dscm
	AllLoads, AllStores string // ptxas -flcm, -fscm
}

// assembler is an option of ptxas (NVIDIA CUDA Compiler Driver NVCC, "Ptxas Options").
type assembler struct {
	long, short string
	of          func(c *Caches) *string // the cache operator that it sets; nil: no effect, and none is needed
	operators   []string
}

var (
	loadOperators  = []string{"ca", "cg", "cs", "lu", "cv"}
	storeOperators = []string{"wb", "cg", "cs", "wt"}
)

// assemblers lists the options with an effect, and those that need none: messages and effort of the
// assembler.
var assemblers = []assembler{
	{"def-load-cache", "dlcm", func(c *Caches) *string { return &c.Loads }, loadOperators},
	{"def-store-cache", "dscm", func(c *Caches) *string { return &c.Stores }, storeOperators},
	{"force-load-cache", "flcm", func(c *Caches) *string { return &c.AllLoads }, loadOperators},
	{"force-store-cache", "fscm", func(c *Caches) *string { return &c.AllStores }, storeOperators},
	{"verbose", "v", nil, nil},
	{"opt-level", "O", nil, []string{"0", "1", "2", "3", "4"}},
	{"allow-expensive-optimizations", "allow-expensive-optimizations", nil, []string{"true", "false"}},
	{"disable-warnings", "w", nil, nil},
	{"Werror", "Werror", nil, nil},
	{"generate-line-info", "lineinfo", nil, nil},
	{"suppress-stack-size-warning", "suppress-stack-size-warning", nil, nil},
	{"suppress-double-demote-warning", "suppress-double-demote-warning", nil, nil},
	{"warn-on-double-precision-use", "warn-double-usage", nil, nil},
	{"warn-on-local-memory-usage", "warn-lmem-usage", nil, nil},
	{"warn-on-spills", "warn-spills", nil, nil},
}

// ptxas applies options of NVIDIA's assembler and returns the unknown ones.
func (c *Caches) ptxas(words []string) (left []string, err error) {
	var errs []error
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		name, value, has := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if digits, ok := strings.CutPrefix(name, "O"); ok && digits != "" {
			name, value, has = "O", digits, true
		}
		at := slices.IndexFunc(assemblers, func(a assembler) bool { return a.long == name || a.short == name })
		if at < 0 {
			left = append(left, word)
			if !has && len(words) > 0 && !strings.HasPrefix(words[0], "-") {
				words = words[1:] // its value
			}
			continue
		}
		a := &assemblers[at]
		if a.operators != nil && !has && len(words) > 0 {
			value, words = words[0], words[1:]
		}
		switch {
		case a.operators != nil && !slices.Contains(a.operators, value):
			errs = append(errs, fmt.Errorf("nvcc: -Xptxas %s: found %q, want one of %s", word, value,
				strings.Join(a.operators, ", ")))
		case a.of != nil:
			*a.of(c) = value
		}
	}
	return left, errors.Join(errs...)
}

// assembler applies the options for NVIDIA's assembler. They have no effect on PTX output, since
// that does not pass the assembler. It warns of options that do nothing.
func (n *nvcc) assembler(stderr io.Writer) error {
	left, err := n.Caches.ptxas(n.ptxas)
	switch {
	case err != nil:
		return err
	case n.phase == toPTX:
		n.Caches = Caches{}
	case n.phase == toObject && n.Relocatable && n.Caches != Caches{}:
		fmt.Fprintln(stderr, "nvcc: warning: cache operators (-Xptxas) of relocatable code are chosen when it is linked: give them there")
	}
	if len(left) > 0 {
		fmt.Fprintf(stderr, "nvcc: warning: -Xptxas %s does nothing: there is no assembler\n", strings.Join(left, " "))
	}
	return nil
}

// load and store match the PTX instructions whose cache operator can be selected. They are neither
// volatile nor have a memory order, nor do they use the texture cache (PTX ISA, "ld" and "st").
var (
	load  = regexp.MustCompile(`(?m)(^|[\s;{])(ld(?:\.weak)?(?:\.global)?)(\.(?:ca|cg|cs|lu|cv))?((?:\.L[12]::\w+)*(?:\.v[248])?\.[bsuf](?:8|16|32|64|128)\s)`)
	store = regexp.MustCompile(`(?m)(^|[\s;{])(st(?:\.weak)?(?:\.global)?)(\.(?:wb|cg|cs|wt))?((?:\.L[12]::\w+)*(?:\.v[248])?\.[bsuf](?:8|16|32|64|128)\s)`)
)

// apply sets the operators of the loads and stores in PTX.
func (c *Caches) apply(ptx []byte) []byte {
	for _, of := range []struct {
		what           *regexp.Regexp
		without, every string
	}{{load, c.Loads, c.AllLoads}, {store, c.Stores, c.AllStores}} {
		if of.without == "" && of.every == "" {
			continue
		}
		ptx = of.what.ReplaceAllFunc(ptx, func(found []byte) []byte {
			part := of.what.FindSubmatch(found)
			operator := string(part[3])
			switch {
			case of.every != "":
				operator = "." + of.every
			case operator == "":
				operator = "." + of.without
			}
			return slices.Concat(part[1], part[2], []byte(operator), part[4])
		})
	}
	return ptx
}
