package plan

// maxHalvings leaves each condition more than a hundred bytes of its message.
const maxHalvings = 8

func (m Memo) maxMessages() int { return maxMessages >> m.Halvings }

func (m Memo) maxFailures() int { return maxFailures >> m.Halvings }

// Halve returns the memo to plan with again after the object of a plan was too large: others fill
// it more than maxMessages and maxFailures leave to them. It has half the room for texts, or as
// often half of it as shortens one, and is false where no text can be shortened any more.
func (p Plan) Halve() (Memo, bool) {
	if !p.WritesStatus() {
		return p.Memo, false
	}
	var messages, failures int
	for _, c := range p.Final.Object.Status.Conditions {
		messages += encodedSize(c.Message)
	}
	for _, set := range p.Final.Object.Status.PinnedImageSets {
		failures += encodedSize(set.LastFailedGenerationError)
	}
	for memo := p.Memo; memo.Halvings < maxHalvings; {
		memo.Halvings++
		if messages > memo.maxMessages() || failures > memo.maxFailures() {
			return memo, true
		}
	}
	return p.Memo, false
}
