package ptx

// alias is an .alias directive: another name of a function (section 11.6.5).
type alias struct{ name, function word }

// alias parses ".alias name, function;".
func (p *parser) alias() {
	p.next()
	var a alias
	var ok bool
	if a.name, ok = p.ident("the name of a function"); ok && p.expect(',', "after the alias") {
		if a.function, ok = p.ident("the function that the alias stands for"); ok {
			p.m.aliases = append(p.m.aliases, a)
			ok = p.semicolon("the alias")
		}
	}
	if !ok {
		p.skipStatement()
	}
}

// resolveAliases replaces each alias by its function. The alias must be declared, the function
// defined here.
func (p *parser) resolveAliases() {
	for _, a := range p.m.aliases {
		name, f := p.m.functions[a.name.text], p.m.functions[a.function.text]
		switch {
		case f == nil:
			p.errorf(a.function.pos, CodeName, "undeclared function %s", clip(a.function.text))
		case f.body == nil:
			p.errorf(a.function.pos, CodeUnsupported, "%s is declared only: it is defined in another file",
				clip(a.function.text))
		case name == nil:
			p.errorf(a.name.pos, CodeName, "undeclared function %s: an alias wants a declaration", clip(a.name.text))
		case name.body != nil:
			p.errorf(a.name.pos, CodeDuplicate, "function %s has a body and is an alias", clip(a.name.text))
		case !name.agrees(f):
			p.errorf(a.name.pos, CodeOperand, "function %s has other parameters than %s", clip(a.name.text),
				clip(a.function.text))
		default:
			p.m.functions[a.name.text] = f
		}
	}
}
