// Forms in which models write their calls and answers.

/** Calls as text. `name` is the tool's, `args` its arguments as JSON. */
export const TEXT_ACTIONS: readonly ((name: string, args: string) => string)[] = [
  (name, args) => `Thought: I should look\nAction: ${name}\nAction Input: ${args}`,
  (name, args) =>
    `Thought: I should look\nAction: ${name}\nAction Input: ${args}\nObservation: made up result\nThought: done\nFinal Answer: invented`,
  (name, args) => `\`\`\`\nThought: I should look\nAction: ${name}\nAction Input: ${args}\n\`\`\``,
  (name, args) => `Action: ${name}\nAction Input: ${args}`,
  (name, args) =>
    `Thought: x\nAction: ${name}\nAction Input: ${args}\n\nFinal Answer: both at once`,
  (name, args) => `Thought: x\nAction: ${name}\nAction Input: ${args.replaceAll('"', "'")}`,
  (name, args) => `Thought: x\nAction:${name}\nAction Input:${args}`,
  (name, args) => `Thought: x\nAction: ${name}\nAction Input: \`\`\`json\n${args}\n\`\`\``,
  (name, args) => `Thought: x\nAction: *${name}*\nAction Input: ${args}`,
  (name) => `Thought: x\nAction: ${name}`,
  (name) => `Thought: x\nAction: ${name}\nAction Input:`,
  (_, args) => `Thought: x\nAction: no_such_tool\nAction Input: ${args}`,
  (name, args) => `Thought: x\nAction: ${name}\nAction Input: ${args.slice(0, -1)}`,
];

/** Answers of models that write their calls as text. */
export const TEXT_ANSWERS: readonly ((text: string) => string)[] = [
  (text) => `Thought: I now can give a great answer\nFinal Answer: ${text}`,
  (text) => `Thought: I now can give a great answer\nFinal Answer: ${text}`,
  (text) => text,
  (text) => `Final Answer: ${text}`,
  (text) => `Final Answer:\n${text}\nsecond line of ${text}`,
  (text) => `Thought: I know\nfinal answer: ${text}`,
  (text) => `Thought: I know\n**Final Answer:** ${text}`,
  (text) => `Thought: I know\nFinal Answer: first\nFinal Answer: ${text}`,
  (text) => `Final Answer: \`\`\`\n${text}\n\`\`\``,
];

/** Answers of models with native calls. */
export const PLAIN_ANSWERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => `Thought: I know\nFinal Answer: ${text}`,
  (text) => `  ${text}\n`,
  () => "",
  (text) => `{"a": "${text}"}`,
  (text) => `\`\`\`\n${text}\n\`\`\``,
  (text) => `<think>hmm</think>${text}`,
];

export type Titled = { readonly title: string; readonly count: number };

/** Answers that should be objects. */
export const OBJECT_ANSWERS: readonly ((value: Titled) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value),
  (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``,
  (value) => `Here it is:\n${JSON.stringify(value)}`,
  (value) => `${JSON.stringify(value)}\nI hope this helps.`,
  (value) => JSON.stringify({ ...value, count: String(value.count) }),
  ({ title }) => JSON.stringify({ title }),
  (value) => JSON.stringify({ ...value, extra: true }),
  (value) => JSON.stringify({ ...value, count: value.count + 0.5 }),
  ({ title, count }) => `{'title': '${title}', 'count': ${count}}`,
  ({ title, count }) => `title ${title}, count ${count}`,
  (value) => JSON.stringify([value]),
  (value) => JSON.stringify({ ...value, title: null }),
];
