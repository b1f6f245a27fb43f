module example.com/followed

go 1.26
