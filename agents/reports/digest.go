package reports

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"strconv"
)

// digest returns a hash of the report's content.
func (r *Report) digest() string {
	d := digester{sha256.New()}
	d.texts(r.TurnID, r.WorkerID, r.TaskID, r.Model, string(r.Status), r.Summary)
	d.number(len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		d.texts(f.FindingID, f.Claim, float(f.Confidence), strconv.FormatBool(f.Novel), r.malformed[place{PartFinding, i}])
		d.list(f.EvidenceRefs)
	}
	d.number(len(r.Learnings))
	for i := range r.Learnings {
		e := &r.Learnings[i]
		d.texts(e.LearningID, e.Insight, float(e.Confidence), strconv.FormatBool(e.ChangesPlan), r.malformed[place{PartLearning, i}])
		d.list(e.Supports)
	}
	d.number(len(r.Escalations))
	for i := range r.Escalations {
		e := &r.Escalations[i]
		d.texts(e.EscalationID, string(e.Kind), e.Reason, string(e.Urgency), e.RecommendedOption)
		d.texts(strconv.FormatBool(e.RequiresHuman), r.malformed[place{PartEscalation, i}])
		d.list(e.Options)
	}
	d.number(len(r.Artifacts))
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		d.texts(a.ArtifactID, string(a.Kind), a.Ref, r.malformed[place{PartArtifact, i}])
	}
	return hex.EncodeToString(d.Sum(nil))
}

// A digester hashes lists of texts unambiguously.
type digester struct{ hash.Hash }

func (d digester) number(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	d.Write(b[:])
}

func (d digester) texts(all ...string) {
	for _, s := range all {
		d.number(len(s))
		d.Write([]byte(s))
	}
}

func (d digester) list(l List) { d.number(len(l)); d.texts(l...) }

// float returns a distinct text for every number and for NaN.
func float(x float64) string { return strconv.FormatUint(math.Float64bits(x), 16) }
