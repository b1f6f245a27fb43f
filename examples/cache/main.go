package main
func main(){ c:=newCache(3,10,func(k string)string{return k}); for i:=range 100 { c.get(string(rune(65+i*i%7))) } }
