module github.com/swarmbus/swarmbus

go 1.26

require github.com/rs/xid v1.6.0 // indirect
