package steps

// What a return statement calls is executed if all of the arguments have been evaluated, and the path around it ends in front
// of all that.

type carton struct{ n, of int }

// newCarton leaves evidence, where it is inlined: it allocates.
func newCarton(n, of int) *carton { return &carton{n, of} }

func plain(n int) int { return n }

func marked(n int) int { return n }

func looked(n int) int { return n }

func third(list []int) int {
	x := list[2]
	return x
}

func twice(n int) int { return n }

func shelved(n int) int { return n }

// odd panics for every third number.
//
//go:noinline
func odd(n int) int {
	if n%3 == 2 {
		panic("odd")
	}
	return n
}

// odds may call odd where it is inlined.
func odds(n int) int {
	if n > 4 {
		return odd(n)
	}
	return n
}

// Cartons has a panic in an argument (text/template/parse's action).
//
//go:noinline
func Cartons(n int) *carton { return newCarton(n, odd(n)) }

// Plains does so where what is called leaves no evidence.
//
//go:noinline
func Plains(n int) int { return plain(odd(n)) }

// Cartons2 calls the same function twice, and either may panic.
//
//go:noinline
func Cartons2(n, m int) (a, b *carton) { return newCarton(n, odd(n)), newCarton(m, odd(m)) }

// Twices does so where what is called leaves no evidence.
//
//go:noinline
func Twices(n, m int) (a, b int) { return twice(odd(n)), twice(odd(m)) }

// Marks has an index out of range in an argument.
//
//go:noinline
func Marks(list []int, n int) int { return marked(list[n]) }

// Looks has one behind the call's argument, too.
//
//go:noinline
func Looks(list []int, n int) int { return looked(odd(n)) + list[n] }

// Thirds calls a function that panics before its path ends.
//
//go:noinline
func Thirds(list []int) int { return third(list) }

// shelves has a panic in an argument, and is inlined.
func shelves(n int) int { return shelved(odds(n)) }

//go:noinline
func Shelves(n int) int {
	if n < 2 {
		return 1
	}
	return shelves(n) + 1
}

// catch calls a function that may panic.
func catch(do func()) {
	defer func() { recover() }()
	do()
}

// Returns has all of them panic, and not.
func Returns() {
	list := []int{1, 2, 3, 4}
	for n := range 9 {
		catch(func() { use(&name{Cartons(n).n}) })
		catch(func() { use(&name{Plains(n)}) })
		catch(func() { Cartons2(n, n/2) })
		catch(func() { Twices(n/2, n) })
		catch(func() { use(&name{Marks(list, n)}) })
		catch(func() { use(&name{Looks(list, n)}) })
		catch(func() { use(&name{Thirds(list[:n%5])}) })
		catch(func() { use(&name{Shelves(n)}) })
	}
}
