module example.com/rare

go 1.26
