package host

import (
	"context"
	"errors"
	"os"
)

// Stuck reports whether a log is not read any further, which only a new start changes.
func (h *Host) Stuck() bool {
	for _, d := range h.desks {
		if d.log.problem() != "" {
			return true
		}
	}
	return h.office != nil && h.office.problem() != nil
}

// Works returns why the host takes no work now, in words that anybody may read; nil: it does.
func (h *Host) Works(ctx context.Context) error {
	now, err := system{h}.Session(ctx)
	if err != nil {
		return err
	}
	if len(now.Reading) > 0 {
		return errors.New("the journals are being read")
	}
	if of, err := (system{h}).Health(ctx); err != nil || !of.OK {
		return errors.New("a log has a problem, which /api/health says")
	}
	if !h.writes() {
		return errors.New("the directory of the journals cannot be written")
	}
	return nil
}

// writes reports whether a file can be written beside the journals.
func (h *Host) writes() bool {
	file, err := os.CreateTemp(h.o.Dir, ".ready-")
	if err != nil {
		return false
	}
	_, err = file.WriteString("ready")
	return errors.Join(err, file.Close(), os.Remove(file.Name())) == nil
}
