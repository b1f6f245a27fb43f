module example.com/traces

go 1.26
