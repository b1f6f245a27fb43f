package profile

import "math/big"

// Coverage says how much of the code was executed.
type Coverage struct {
	Functions         int // instrumented functions
	FunctionsExecuted int
	Declined          int // functions not instrumented, in none of the other numbers

	Paths         *big.Int // possible paths; their sum can exceed 64 bits
	PathsExecuted int

	Blocks         int // blocks with source
	BlocksExecuted int

	Branches         int // edges whose source has more than one successor edge
	BranchesExecuted int

	Conditions         int // outcomes of conditions: each can be true and false
	ConditionsExecuted int

	Statements         int // as go test -cover counts them, dead code included; see table.Statement
	StatementsExecuted int

	Abandoned int64 // activations that did not reach the exit of their function
	Flow      int64 // sum of Path.Flow
}

// Coverage sums up all packages.
func (p *Profile) Coverage() Coverage { return coverage(p.Functions()) }

// Coverage sums up the functions of one package.
func (p *Package) Coverage() Coverage { return coverage(p.Functions) }

// Coverage is that of one function.
func (f *Function) Coverage() Coverage { return coverage([]*Function{f}) }

func coverage(functions []*Function) Coverage {
	c := Coverage{Paths: new(big.Int)}
	for _, f := range functions {
		if f.Declined() {
			c.Declined++
			continue
		}
		c.Functions++
		if f.Executed() {
			c.FunctionsExecuted++
		}
		c.Paths.Add(c.Paths, new(big.Int).SetUint64(f.Table.Values.NumPaths))
		c.PathsExecuted += len(f.Paths)
		c.addBlocks(f)
		c.addBranches(f)
		c.addConditions(f)
		c.addStatements(f)
		c.Abandoned += f.Abandoned
		for i := range f.Paths {
			c.Flow += f.Paths[i].Flow()
		}
	}
	return c
}

func (c *Coverage) addBlocks(f *Function) {
	for id, b := range f.Table.Blocks {
		if b.Line == 0 {
			continue
		}
		c.Blocks++
		if f.Blocks[id] > 0 {
			c.BlocksExecuted++
		}
	}
}

func (c *Coverage) addBranches(f *Function) {
	for id, branch := range f.BranchEdges() {
		if !branch {
			continue
		}
		c.Branches++
		if f.Edges[id] > 0 {
			c.BranchesExecuted++
		}
	}
}

func (c *Coverage) addConditions(f *Function) {
	for _, cond := range f.Conditions() {
		c.Conditions += 2
		c.ConditionsExecuted += cond.Outcomes()
	}
}

func (c *Coverage) addStatements(f *Function) {
	for i, n := range f.StatementCounts() {
		statements := f.Table.Statements[i].Count
		c.Statements += statements
		if n > 0 {
			c.StatementsExecuted += statements
		}
	}
}
