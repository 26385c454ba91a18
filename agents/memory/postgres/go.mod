module github.com/swarmbus/swarmbus/agents/memory/postgres

go 1.26.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/swarmbus/swarmbus v0.0.0
)

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/gowebpki/jcs v1.0.2 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/rs/xid v1.6.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/time v0.16.0 // indirect
)

// The modules of the same checkout: a release names their versions instead.
replace github.com/swarmbus/swarmbus => ../../..
