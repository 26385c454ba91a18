// A graph of @langchain/langgraph as a member of a swarm: node langgraph.mjs ANSWER. Its model
// is scripted; put a real chat model in its place.
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { join } from './member.mjs'

const model = new FakeListChatModel({ responses: [process.argv[2]] })
const graph = new StateGraph(MessagesAnnotation)
  .addNode('think', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'think')
  .addEdge('think', END)
  .compile()
await join(async (prompt) => (await graph.invoke({ messages: [{ role: 'user', content: prompt }] })).messages.at(-1).content)
