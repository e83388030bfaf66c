package kafka

import kafkago "github.com/segmentio/kafka-go"

// oneMember assigns all partitions to the member with the smallest id.
type oneMember struct{}

func (oneMember) ProtocolName() string { return "one-member" }

func (oneMember) UserData() ([]byte, error) { return nil, nil }

func (oneMember) AssignGroups(members []kafkago.GroupMember, partitions []kafkago.Partition) kafkago.GroupMemberAssignments {
	if len(members) == 0 {
		return nil
	}
	all := make(map[string][]int)
	for _, p := range partitions {
		all[p.Topic] = append(all[p.Topic], p.ID)
	}
	first := members[0].ID
	for _, m := range members {
		first = min(first, m.ID)
	}
	return kafkago.GroupMemberAssignments{first: all}
}
