import type { CrewCase, Reply } from "./crew-case.ts";

/** The same case for models that write their calls as text. */
export function asText(made: CrewCase): CrewCase {
  for (const agent of made.agents) agent.text = true;
  for (const [task, replies] of Object.entries(made.script))
    if (/^t\d/.test(task)) made.script[task] = replies.flatMap(written);
  made.id = `x${made.id}`;
  return made;
}

function written(reply: Reply): readonly Reply[] {
  if (reply.tools !== undefined)
    return reply.tools.map(({ name, args, rawArgs }) => ({
      text: `Thought: I should use a tool\nAction: ${name}\nAction Input: ${rawArgs ?? JSON.stringify(args)}`,
      action: true,
    }));
  const { text } = reply;
  if (text === undefined || text === "" || /Action:|Final Answer:|^\{/.test(text)) return [reply];
  return [{ ...reply, text: `Thought: I now can give a great answer\nFinal Answer: ${text}` }];
}
