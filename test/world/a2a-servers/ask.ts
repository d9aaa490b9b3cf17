// An agent of ours asks an agent elsewhere, with the client that users have.
import { remoteAgent } from "../../../src/entry/a2a.ts";
import { Agent } from "../../../src/index.ts";
import type { ScriptedRequest } from "../../../src/llm/scripted/scripted-model.ts";
import { scriptedModel } from "../../../src/testing/index.ts";

/** Ways in which answers arrive. */
export type Way = "stream" | "poll";

/** The answers of the other agent, one for each message of one conversation. */
export async function ask(
  endpoint: string,
  { way, messages }: { readonly way: Way; readonly messages: readonly string[] },
): Promise<readonly string[]> {
  const updates = way === "stream" ? "streaming" : ({ type: "polling", interval: 0.2 } as const);
  const agent = new Agent({
    role: "Caller",
    goal: "Ask",
    backstory: "Curious.",
    llm: scriptedModel((request) => next(request, messages)),
    a2a: remoteAgent({ endpoint, updates, timeout: 30 }),
  });
  const { raw } = await agent.kickoff("Ask the other agent.");
  return JSON.parse(raw) as readonly string[];
}

/** Asks one message after another, and then says what came back. */
function next({ messages: shown, tools = [] }: ScriptedRequest, messages: readonly string[]) {
  const answers = shown.filter(({ role }) => role === "tool").map(({ content }) => content);
  const message = messages[answers.length];
  if (message === undefined) return JSON.stringify(answers);
  return { toolCalls: [{ name: tools[0]?.name ?? "", arguments: { message } }] };
}
