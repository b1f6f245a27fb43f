module example.com/revoked

go 1.26
