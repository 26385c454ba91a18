package natsbus

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrTooMany is returned for too many signals at once, or too large ones.
var ErrTooMany = errors.New("natsbus: more than a message holds")

// ErrDenied is wrapped by the error of a publisher to whose subject the servers do not let
// this process publish: its user lacks the permission.
var ErrDenied = errors.New("natsbus: not allowed by the servers")

// Next implements [bus.Sequencer].
func (l *Log) Next() uint64 { return firstOf(l.next.Load()) }

// Append implements [bus.Sequencer]. The message is sent again, with the same id, until
// the bus was fed with it: it is in the log once. The error of signals that were sent wraps
// [bus.ErrUnknown] if ctx ended, or the log did ([ErrClosed], a [*GapError] or a [*LostError]), or
// if the servers answered an earlier try with silence and a later one with an error.
func (l *Log) Append(ctx context.Context, all []signals.Any, at uint64) (uint64, error) {
	if len(all) > maxBatch {
		return 0, fmt.Errorf("%w: %d signals, at most %d", ErrTooMany, len(all), maxBatch)
	}
	m, err := encode(l.name+".log", all, l.opts.Reserved)
	if err != nil {
		return 0, err
	}
	if err := l.dress(m); err != nil {
		return 0, err
	}
	p := &letter{Msg: m, size: m.Size(), signals: len(all)}
	if most := l.conn.MaxPayload(); int64(p.size) > most {
		return 0, fmt.Errorf("%w: %d bytes, at most %d", ErrTooMany, p.size, most)
	}
	id := all[0].Head().ID
	told, err := l.waiting.verdictOn(id, m)
	if err != nil {
		return 0, err
	}
	defer l.waiting.forget(id)
	v, err := l.send(ctx, p, at, told)
	if err != nil {
		return 0, err
	}
	return v.first, v.err()
}

// dress adds what the process says of itself.
func (l *Log) dress(m *nats.Msg) error {
	m.Header.Set(headerProcess, l.opts.Process)
	if lease := l.lease.Load(); lease != nil {
		if err := context.Cause(lease.held); err != nil {
			return err
		}
		m.Header.Set(headerFence, fenceText(lease.token, lease.name))
	}
	sign(m, l.opts.Key)
	return nil
}

// send sends a message until the verdict on it arrives.
func (l *Log) send(ctx context.Context, p *letter, at uint64, told <-chan verdict) (v verdict, err error) {
	defer l.unstored(l.name)()
	open := false // the servers have not answered an earlier try
	defer func() {
		if v.lost != nil && (open || !errors.Is(v.lost, ErrDenied)) {
			v.lost = unknown(v.lost)
		}
	}()
	var options []jetstream.PublishOpt
	if at > 0 {
		options = append(options, jetstream.WithExpectLastSequence(StreamSequence(at)-1))
	} else if v, known, err := l.sendUnasked(ctx, p, told); known {
		return v, err
	}
	open = at == 0
	pauses := pause()
	for try := 0; ; try++ {
		if try > 0 || at == 0 {
			l.waiting.retried.Add(1)
		}
		v, known, err := l.sendOnce(ctx, p.Msg, options, told)
		var refused *jetstream.APIError
		switch answered := errors.As(err, &refused) || errors.Is(err, ErrFull); {
		case known:
			return v, err
		case ctx.Err() != nil:
			return v, unknown(context.Cause(ctx))
		case errors.Is(err, errTaken):
			p = &letter{Msg: l.enclose([]*letter{p})}
			continue
		case wrongSequence(err):
			return l.readTo(ctx, StreamSequence(at), told, bus.ErrMoved)
		case !passes(err) && (open || !answered):
			return v, unknown(err)
		case !passes(err):
			return v, err
		default:
			open = open || !answered
		}
		select {
		case v := <-told:
			return v, nil
		case <-ctx.Done():
			return v, unknown(context.Cause(ctx))
		case <-time.After(pauses.Next()):
		}
	}
}

// sendUnasked sends a message, perhaps with others, without asking for an acknowledgement,
// and waits for the verdict about as long as verdicts have taken. A message that the reader
// has read back is as safe as an acknowledged one, and costs servers and client less.
func (l *Log) sendUnasked(ctx context.Context, p *letter, told <-chan verdict) (v verdict, known bool, err error) {
	began := time.Now()
	l.post(l.out.add(p))
	defer func() { l.post(l.out.land(p)) }()
	late := time.NewTimer(l.waiting.trips.patience())
	defer late.Stop()
	select {
	case v = <-told:
		l.waiting.trips.add(time.Since(began))
		return v, true, nil
	case <-late.C:
		return v, false, nil
	case <-ctx.Done():
		return v, true, unknown(context.Cause(ctx))
	}
}

// post sends letters as one message, or as several if the servers take no message of that size.
// What is not sent, for want of a connection, is sent again by those who wait for it.
func (l *Log) post(letters []*letter) {
	switch len(letters) {
	case 0:
	case 1:
		_ = l.conn.PublishMsg(letters[0].Msg)
	default:
		m := l.enclose(letters)
		if int64(m.Size()) > l.conn.MaxPayload() {
			l.post(letters[:len(letters)/2])
			l.post(letters[len(letters)/2:])
			return
		}
		_ = l.conn.PublishMsg(m)
	}
}

// enclose returns an envelope of this process.
func (l *Log) enclose(letters []*letter) *nats.Msg {
	m := envelope(letters)
	m.Header.Set(headerProcess, l.opts.Process)
	return m
}

// errTaken says that servers know the id of a message from one that is not in the log. It is
// sent in an envelope then, which has no id for the servers.
var errTaken = errors.New("natsbus: id is in use by a message that is not in the log")

// has reports whether the log has a signal with an id, which a message of the stream had; of
// messages that are not remembered that is not known any more.
func (l *Log) has(text string, seq uint64) bool {
	id, err := signals.ParseID(text)
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	return err != nil || l.judge.seen.ids[id] || l.next.Load()-seq > uint64(l.opts.Remember)
}

// sendOnce sends a message and waits for the verdict, or for a reason to send it again.
func (l *Log) sendOnce(
	ctx context.Context, m *nats.Msg, options []jetstream.PublishOpt, told <-chan verdict,
) (v verdict, known bool, err error) {
	copied := &nats.Msg{Subject: m.Subject, Header: maps.Clone(m.Header), Data: m.Data} // the client adds a reply and headers
	sent, err := l.js.PublishMsgAsync(copied, append(options, jetstream.WithRetryAttempts(0))...)
	if err != nil {
		return v, false, err
	}
	ok := sent.Ok()
	for {
		select {
		case v = <-told:
			return v, true, nil
		case ack := <-ok:
			if ack.Duplicate {
				v, err = l.readTo(ctx, ack.Sequence, told, fmt.Errorf("%w: %s, in message %d", bus.ErrDuplicate, m.Header.Get(headerID), ack.Sequence))
				if errors.Is(err, bus.ErrDuplicate) && !l.has(m.Header.Get(headerID), ack.Sequence) {
					return v, false, errTaken
				}
				return v, true, err
			}
			ok = nil
		case err = <-sent.Err():
			return v, false, l.opts.full(err)
		case <-ctx.Done():
			return v, true, unknown(context.Cause(ctx))
		}
	}
}

// denied says what the servers refused to this process, and ends the publishers that wait
// for it.
func (l *Log) denied(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return // the reader notices itself
	}
	l.opts.warn(err.Error())
	if subject := refusedSubject(err); subject != "" {
		if strings.HasSuffix(subject, "."+mixed) {
			l.out.separate()
		}
		l.waiting.deny(subject, fmt.Errorf("%w: %w", ErrDenied, err))
	}
}

func unknown(why error) error {
	return fmt.Errorf("natsbus: not acknowledged: %w: %w", bus.ErrUnknown, why)
}

// wrongSequence reports whether a message was refused because the log had moved on.
func wrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// readTo waits until the bus was fed with a message of the stream: with an earlier try of
// the message whose verdict it then returns, or with another, for which it returns otherwise.
func (l *Log) readTo(ctx context.Context, seq uint64, told <-chan verdict, otherwise error) (verdict, error) {
	if err := l.reach(ctx, seq); err != nil {
		return verdict{}, unknown(err)
	}
	select {
	case v := <-told:
		return v, nil
	default:
		return verdict{}, otherwise
	}
}

// reach waits until the bus was fed with a message.
func (l *Log) reach(ctx context.Context, seq uint64) error {
	arrived, err := l.waiting.arrival(seq, func() bool { return l.next.Load() > seq })
	if err != nil || arrived == nil {
		return err
	}
	select {
	case <-arrived:
		return context.Cause(l.ended)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
