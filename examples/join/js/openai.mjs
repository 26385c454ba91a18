// An agent of @openai/agents as a member of a swarm: node openai.mjs ANSWER. Its model is
// scripted; leave `model` out for a real one.
import { Agent, run, setTracingDisabled, Usage } from '@openai/agents'
import { join } from './member.mjs'

setTracingDisabled(true)
const model = {
  async getResponse() {
    const content = [{ type: 'output_text', text: process.argv[2] }]
    return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }
  },
  async *getStreamedResponse() {
    throw new Error('the script does not stream')
  },
}
const agent = new Agent({ name: 'member', instructions: 'You answer in one line.', model })
await join(async (prompt) => (await run(agent, prompt)).finalOutput)
