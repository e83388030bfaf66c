package kafka

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/stream/checkpoint"
)

// TestSavedState: the saved state of a group can be inspected from outside in any condition, and removed once the
// group has no members.
func TestSavedState(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 2).Addr()
	p, end := own(t, addr)
	s := openState(t, addr).Store(p)
	saveAt(t, s, 1, 2)
	saveChanges(t, s, 2, 3, 4)
	ctx := deadline(t)
	saved, err := newGroup(t, quick(addr)).SavedState(ctx, stateTopic)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	list, err := saved.Checkpoints(ctx)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	newest, before := list[0], list[1]
	if newest.Partition != "in[0]" || !newest.Committed || newest.Next != 4 || newest.Changes != 2 || newest.Bytes != 2*chunkBytes+300 ||
		len(newest.Settings) != 1 || newest.Err != nil || newest.Time.IsZero() || before.Committed || before.Next != 1 || before.Err != nil {
		t.Errorf("%+v", list)
	}
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, 4)}); err != nil {
		t.Fatal(err)
	}
	if list, err = saved.Checkpoints(ctx); err != nil || list[0].Next != 3 || !errors.Is(list[0].Err, checkpoint.ErrCorrupt) || list[1].Err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := saved.Reset(ctx); !errors.Is(err, errInUse) {
		t.Errorf("reset of a group with members gave %v", err)
	}
	end()
	if n, err := saved.Reset(ctx); err != nil || n != 2 {
		t.Errorf("%d removed, %v", n, err)
	}
	if list, err = saved.Checkpoints(ctx); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	p, _ = own(t, addr)
	if _, err := openState(t, addr).Store(p).Load(ctx); !errors.Is(err, checkpoint.ErrNoCheckpoint) {
		t.Errorf("after a reset: %v", err)
	}
	if _, err := newGroup(t, quick(addr)).SavedState(ctx, "no-such-topic"); err == nil || !strings.Contains(err.Error(), "no-such-topic") {
		t.Errorf("got %v", err)
	}
}

// TestResetRefused: offsets that the broker does not delete, all or those of one partition, end a reset, and the
// checkpoints stay. A group that the broker does not know has none.
func TestResetRefused(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 2)
	p, end := own(t, b.Addr())
	saveAt(t, openState(t, b.Addr()).Store(p), 1, 2)
	end()
	ctx := deadline(t)
	saved, err := newGroup(t, quick(b.Addr())).SavedState(ctx, stateTopic)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	reset := func(all, one *kerr.Error) error {
		b.Cluster().ControlKey(int16(kmsg.OffsetDelete), func(r kmsg.Request) (kmsg.Response, error, bool) {
			response := r.ResponseKind().(*kmsg.OffsetDeleteResponse)
			if all != nil {
				response.ErrorCode = all.Code
			}
			for _, topic := range r.(*kmsg.OffsetDeleteRequest).Topics {
				of := kmsg.OffsetDeleteResponseTopic{Topic: topic.Topic}
				for i, partition := range topic.Partitions {
					answer := kmsg.OffsetDeleteResponseTopicPartition{Partition: partition.Partition}
					if one != nil && i == 1 {
						answer.ErrorCode = one.Code
					}
					of.Partitions = append(of.Partitions, answer)
				}
				response.Topics = append(response.Topics, of)
			}
			return response, nil, true
		})
		_, err := saved.Reset(ctx)
		return err
	}
	for _, c := range []struct {
		all, one *kerr.Error
		want     string
	}{
		{kerr.GroupAuthorizationFailed, nil, "delete the offsets of the group"},
		{nil, kerr.TopicAuthorizationFailed, "delete the offsets of the group"},
		{kerr.NonEmptyGroup, nil, errInUse.Error()},
		{nil, kerr.GroupSubscribedToTopic, errInUse.Error()},
	} {
		if err := reset(c.all, c.one); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the broker answers %v, %v: %v", c.all, c.one, err)
		}
		if list, err := saved.Checkpoints(ctx); err != nil || len(list) != 2 {
			t.Errorf("the broker answers %v, %v: %d checkpoints are left, %v", c.all, c.one, len(list), err)
		}
	}
	b.Cluster().ControlKey(int16(kmsg.DescribeGroups), func(r kmsg.Request) (kmsg.Response, error, bool) {
		response := r.ResponseKind().(*kmsg.DescribeGroupsResponse)
		response.Groups = []kmsg.DescribeGroupsResponseGroup{{Group: "g", ErrorCode: kerr.GroupAuthorizationFailed.Code}}
		return response, nil, true
	})
	if err := reset(nil, nil); err == nil || !strings.Contains(err.Error(), "describe the group") {
		t.Errorf("a group that may not be described: %v", err)
	}
	if err := reset(kerr.GroupIDNotFound, nil); err != nil {
		t.Errorf("a group that the broker does not know: %v", err)
	}
	if list, err := saved.Checkpoints(ctx); err != nil || len(list) != 0 {
		t.Errorf("%d checkpoints after a reset, %v", len(list), err)
	}
}
