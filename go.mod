module github.com/swarmbus/swarmbus

go 1.26
