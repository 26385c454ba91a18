package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// Everything that a backend does is refused to who may do nothing, but for what only reads.
func TestWhatABackendDoesIsGuardedOrReads(t *testing.T) {
	reads := []string{
		"Teams", "List", "Get", "Changed", "WhatIf", "Conflicts", "Items", "Item", "Rooms", "Room", "Page", "Section", "Agents", "Explain",
		"Reports", "Search", "Runs", "Run", "Signals", "Replay", "Verify", "Compare", "Health", "Metrics", "Session",
	}
	ctx := api.By(t.Context(), api.Who{Name: "eve", Role: api.RoleReader})
	doors := reflect.ValueOf(*new(api.Backend).Guarded())
	for i := range doors.NumField() {
		of := doors.Type().Field(i)
		for m := range of.Type.NumMethod() {
			if err := called(ctx, doors.Field(i), of.Type.Method(m).Name); slices.Contains(reads, of.Type.Method(m).Name) == forbidden(err) {
				t.Errorf("%s.%s by a reader: %v", of.Name, of.Type.Method(m).Name, err)
			}
		}
	}
}

func forbidden(err error) bool {
	refused := (*api.Error)(nil)
	return errors.As(err, &refused) && refused.Status == http.StatusForbidden
}

// called calls a method of a backend that has nothing behind it, and returns its error.
func called(ctx context.Context, of reflect.Value, method string) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it was let through")
		}
	}()
	m := of.MethodByName(method)
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < m.Type().NumIn(); i++ {
		in = append(in, reflect.Zero(m.Type().In(i)))
	}
	out := m.Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	return err
}
