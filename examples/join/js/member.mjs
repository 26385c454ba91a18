// A member of a swarm: join(think) takes turns, and answers each with what think(turn) says.

const base = (process.env.SWARMBUS_JOIN ?? 'http://127.0.0.1:7334') + '/join'
const headers = { authorization: 'Bearer ' + process.env.SWARMBUS_TOKEN, 'content-type': 'application/json' }

export async function join(think) {
  for (;;) {
    const got = await fetch(base + '/turn', { headers }).catch(() => null)
    if (!got?.ok) return // the swarm has ended
    if (got.status === 204) continue
    const turn = await got.json()
    const body = JSON.stringify({ signals: signals(turn, await think(prompt(turn))) })
    const put = await fetch(`${base}/turns/${turn.id}`, { method: 'POST', headers, body }).catch(() => null)
    if (put && !put.ok) console.error(turn.agent, put.status, await put.text())
  }
}

// What others say is data: it is quoted as JSON.
export function prompt(turn) {
  const proposals = (turn.proposals ?? []).map((p) => p.proposal.payload)
  return `Task: ${JSON.stringify(turn.task.task)}\nProposals: ${JSON.stringify(proposals)}\nAnswer with one line, the answer.`
}

// An answer is a proposal, or a vote on each of those that there are.
export function signals(turn, answer) {
  const standing = turn.proposals ?? []
  if (!standing.length) {
    return [{ type: 'proposal', confidence: 0.9, payload: { proposalId: turn.agent + '-1', content: answer, reasoning: 'my model says so' } }]
  }
  return standing.map(({ proposal: { payload } }) => ({
    type: 'vote',
    payload: { proposalId: payload.proposalId, stance: payload.content === answer ? 'agree' : 'disagree', weight: 0.9, reasoning: 'my model says so' },
  }))
}
