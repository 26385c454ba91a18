module fixtures.example/review

go 1.26
