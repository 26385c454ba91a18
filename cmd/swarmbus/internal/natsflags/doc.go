// Package natsflags has the flags that say where a log on NATS servers is, joins it as they say, and
// makes the keys that they name.
package natsflags
