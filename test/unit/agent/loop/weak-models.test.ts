// Answers as small and thinking models write them, in words of our own: what is meant must come out, whatever the form.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { tool } from "../../../../src/tools/tool.ts";
import { runCrewToEnd, scriptedAgent, soloCrew, TEXT_ONLY } from "../../../support/crew-harness.ts";

function searching(script: readonly string[], modelOptions?: object) {
  const asked: unknown[] = [];
  const search = tool({
    name: "search",
    description: "Searches.",
    input: z.object({ query: z.string(), limit: z.number().optional() }),
    run: (input) => {
      asked.push(input);
      return "it is 3776 m high";
    },
  });
  const made = scriptedAgent([...script], {
    tools: [search],
    ...(modelOptions === undefined ? undefined : { modelOptions }),
  });
  return { ...made, asked };
}

const call = '{"name": "search", "arguments": {"query": "Fuji"}}';

const ACTIONS: ReadonlyArray<readonly [name: string, text: string]> = [
  ["plain", 'Thought: I look.\nAction: search\nAction Input: {"query": "Fuji"}'],
  ["emphasis around the label", '**Action**: search\n**Action Input**: {"query": "Fuji"}'],
  ["colon in the emphasis", '**Action:** search\n**Action Input:** {"query": "Fuji"}'],
  ["all in bold", '**Action: search**\n**Action Input:** {"query": "Fuji"}'],
  ["lower case", 'thought: look\naction: search\naction input: {"query": "Fuji"}'],
  ["upper case", 'THOUGHT: LOOK\nACTION: search\nACTION INPUT: {"query": "Fuji"}'],
  ["headings", '### Action: search\n### Action Input: {"query": "Fuji"}'],
  ["an underscore", 'Action: search\nAction_Input: {"query": "Fuji"}'],
  ["full-width colons", 'Action：search\nAction Input：{"query": "Fuji"}'],
  ["numbers", 'Action 1: search\nAction Input 1: {"query": "Fuji"}'],
  ["a code fence", 'Thought: look\n```\nAction: search\nAction Input: {"query": "Fuji"}\n```'],
  ["a fenced input", 'Action: search\nAction Input:\n```json\n{"query": "Fuji"}\n```'],
  ["backticks", 'Action: `search`\nAction Input: `{"query": "Fuji"}`'],
  ["quotes", 'Action: "search"\nAction Input: {"query": "Fuji"}'],
  ["a remark", 'Action: search (to find it out)\nAction Input: {"query": "Fuji"}'],
  ["a namespace", 'Action: functions.search\nAction Input: {"query": "Fuji"}'],
  ["a sentence below", 'Action: search\nI want facts.\nAction Input: {"query": "Fuji"}'],
  ["one line", 'I look. Action: search Action Input: {"query": "Fuji"}'],
  ["no label of the input", 'Action: search\n{"query": "Fuji"}'],
  ["no label, fenced", 'Action: search\n```json\n{"query": "Fuji"}\n```'],
  ["a call in code", 'Action: search({"query": "Fuji"})'],
  ["keywords", 'Action: search(query="Fuji")'],
  ["an object as action", `Action: ${call}`],
  ["a blob", 'Action:\n```json\n{"action": "search", "action_input": {"query": "Fuji"}}\n```'],
  ["a bare blob", '{"action": "search", "action_input": {"query": "Fuji"}}'],
  ["parameters", 'I will search.\n{"name": "search", "parameters": {"query": "Fuji"}}'],
  ["nested function", `{"type": "function", "function": ${call}}`],
  ["a tag", `<tool_call>\n${call}\n</tool_call>`],
  ["an open tag", `I look it up.\n<tool_call>\n${call}`],
  ["single quotes", "<tool_call>{'name': 'search', 'arguments': {'query': 'Fuji'}}</tool_call>"],
  ["a list behind a mark", `[TOOL_CALLS] [${call}]`],
  ["a name behind a mark", '[TOOL_CALLS]search{"query": "Fuji"}'],
  ["a python tag", `<|python_tag|>${call}<|eom_id|>`],
  ["a function tag", '<function=search>{"query": "Fuji"}</function>'],
  [
    "parameters in tags",
    "<tool_call>\n<function=search>\n<parameter=query>\nFuji\n</parameter>\n</function>\n</tool_call>",
  ],
  ["tool code", '```tool_code\nsearch(query="Fuji")\n```'],
  ["a list of code", '[search(query="Fuji")]'],
  [
    "thoughts",
    `<think>\nFinal Answer: maybe 3000?\n</think>\n\nAction: search\nAction Input: {"query": "Fuji"}`,
  ],
  ["thoughts left open", '<think>\nI look.\nAction: search\nAction Input: {"query": "Fuji"}'],
  [
    "thoughts without opening",
    'Final Answer: 3000? No.\n</think>\nAction: search\nAction Input: {"query": "Fuji"}',
  ],
  [
    "an invented result",
    'Action: search\nAction Input: {"query": "Fuji"}\n**Observation:** 12 m\n**Final Answer:** 12 m',
  ],
  [
    "another invented result",
    'action: search\naction input: {"query": "Fuji"}\nobservation: 12 m\nfinal answer: 12 m',
  ],
  ["another label of the input", 'Action: search\nInput: {"query": "Fuji"}'],
  ["keywords as input", 'Action: search\nAction Input: query="Fuji"'],
  ["a sentence as name", 'Action: Use the search tool\nAction Input: {"query": "Fuji"}'],
  ["a list of calls in an object", `{"tool_calls": [${call}]}`],
  ["a fence of its own name", `\`\`\`tool_call\n${call}\n\`\`\``],
  [
    "marks of a section",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "Fuji"}<|tool_call_end|><|tool_calls_section_end|>',
  ],
  [
    "wide marks",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{"query": "Fuji"}\n```<｜tool▁call▁end｜>',
  ],
  ["an invocation", '<invoke name="search">\n<parameter name="query">Fuji</parameter>\n</invoke>'],
  [
    "arguments in a string",
    '<tool_call>{"name": "search", "arguments": "{\\"query\\": \\"Fuji\\"}"}</tool_call>',
  ],
  ["a label in the arguments", 'Action: search\nAction Input: {"query": """Fuji"""}'],
  [
    "a line of the arguments like a label",
    'Action: search\nAction Input: {"query": "Fuji", "x": "a\nFinal Answer: b\n"}',
  ],
];

describe("RE4, WC1: a call in the text form", () => {
  it.each(ACTIONS)("with %s", async (_name, text) => {
    const { agent, asked } = searching([text, "Final Answer: done"], TEXT_ONLY);
    const { result } = await runCrewToEnd(soloCrew(agent));
    expect(asked).toEqual([{ query: "Fuji" }]);
    expect(result.raw).toBe("done");
  });
});

const FINALS: ReadonlyArray<readonly [name: string, text: string, answer: string]> = [
  ["plain", "Thought: I now can give a great answer\nFinal Answer: Hi!", "Hi!"],
  ["bold, colon outside", "Thought: done\n**Final Answer**: 42", "42"],
  ["bold, colon inside", "Thought: done\n**Final Answer:** 42", "42"],
  ["all in bold", "Thought: done\n**Final Answer: 42**", "42"],
  ["bold line of its own", "Thought: done\n\n**Final Answer**\n\n42", "42"],
  ["a heading", "Thought: done\n\n## Final Answer\n42", "42"],
  ["a heading with a colon", "Thought: done\n\n### Final Answer:\n42", "42"],
  ["a bold heading", "Thought: done\n\n### **Final Answer**\n42", "42"],
  ["lower case", "thought: done\nfinal answer: 42", "42"],
  ["upper case", "THOUGHT: DONE\nFINAL ANSWER: 42", "42"],
  ["capital first letter", "Thought: done\nFinal answer: 42", "42"],
  ["one line", "Thought: I know it. Final Answer: 42", "42"],
  ["one line in bold", "Thought: I know it. **Final Answer:** 42", "42"],
  ["the label twice", "Final Answer: Final Answer: 42", "42"],
  ["headings for all", "## Thought\nsix by seven\n\n## Final Answer\n42", "42"],
  ["a role before it", "Assistant: Final Answer: 42", "42"],
  ["a fence around all of it", "```\nThought: done\nFinal Answer: 42\n```", "42"],
  ["a fence around the end", "Thought: done\n```\nFinal Answer: 42\n```", "42"],
  ["two of them", "Final Answer: draft\nThought: no\nFinal Answer: 42", "42"],
  ["prose before it", "I have multiplied six by seven.\n\nfinal answer: 42", "42"],
  ["thoughts", "<think>\nFinal Answer: 41?\n</think>\n\nFinal Answer: 42", "42"],
  ["thoughts alone", "<think>six by seven</think>\n\n42", "42"],
  ["thinking", "<thinking>\nsix by seven\n</thinking>\n42", "42"],
  ["thoughts without opening", "six by seven\n</think>\n\n42", "42"],
  ["thoughts twice", "<think>a</think>\n<think>b</think>\n42", "42"],
  ["empty thoughts", "<think>\n\n</think>\n\n42", "42"],
  ["a doubled closing", "<think>a</think>\nb\n</think>\n42", "42"],
  ["other brackets", "[THINK]six by seven[/THINK]42", "42"],
  [
    "channels",
    "<|channel|>analysis<|message|>six by seven<|end|><|start|>assistant<|channel|>final<|message|>42",
    "42",
  ],
  ["an end mark", "42<|im_end|>", "42"],
  ["an object", '{"action": "Final Answer", "action_input": "42"}', "42"],
  ["a fenced object", '```json\n{"action": "Final Answer", "action_input": "42"}\n```', "42"],
];

describe("UA1: an answer", () => {
  it.each(FINALS)("without tools, with %s", async (_name, text, answer) => {
    const { agent } = scriptedAgent([text]);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(answer);
  });

  it.each(FINALS)("with native tools, with %s", async (_name, text, answer) => {
    const { agent } = searching([text]);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(answer);
  });

  it.each(FINALS)("in the text form, with %s", async (_name, text, answer) => {
    const { agent, model } = searching([text], TEXT_ONLY);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(answer);
    expect(model.calls).toHaveLength(1);
  });

  it.each(FINALS)("after the turn limit, with %s", async (_name, text, answer) => {
    const forced = scriptedAgent(
      [{ toolCalls: [{ name: "search", arguments: { query: "Fuji" } }] }, text],
      { maxIter: 1, tools: searching([]).agent.tools },
    );
    expect((await runCrewToEnd(soloCrew(forced.agent))).result.raw).toBe(answer);
  });
});

const WHOLE: ReadonlyArray<readonly [name: string, text: string]> = [
  ["prose", "It is 42."],
  ["prose about the label", 'Models end with the words "Final Answer:" and what they found.'],
  ["prose with the label in code", "They write `Final Answer:` before the result. It works."],
  ["prose about a final answer", "The final answer: we do not know. It depends on the weather."],
  [
    "a document with an example in a code block",
    "# Agents\n\nThey answer like this:\n\n```\nThought: done\nFinal Answer: 42\n```\n\nThat is all.",
  ],
  [
    "a document with a section of the same name",
    "## Step 1\nMultiply.\n\n## Step 2\nAdd.\n\n## Final Answer\n42\n\n## Remarks\nNone.",
  ],
  ["steps with a bold end", "1. Six.\n2. By seven.\n\n**Final Answer:** 42"],
  [
    "a list of the labels",
    "The labels are:\n- Thought: what it thinks\n- Final Answer: the result\n\nNo more.",
  ],
  ["data with the label inside", '{"text": "Thought: x\\nFinal Answer: 42", "n": 1}'],
  ["data over several lines", '{\n"a":\n"Final Answer: 42",\n"think": "<think>x</think>"\n}'],
  [
    "thoughts in a code block",
    "R1 writes:\n\n```xml\n<think>\nhm\n</think>\n42\n```\n\nSo do others.",
  ],
  ["tags in a sentence", "Reasoning stands between <think> and </think>\nin these models."],
  ["a tag in code", "Close it with `</think>`\nand go on."],
  [
    "a report of observations",
    "Experiment 1.\nObservation: it turned blue.\nConclusion: it is an acid.",
  ],
  ["items of action", "Minutes\n\nAction: Anna writes to Bert.\nAction: Bert answers."],
  ["a document in a code block", "```markdown\n# Report\nFinal Answer: x\n```"],
  ["a call of its own shape", '{"name": "Anna", "input": "tea", "price": 3}'],
  ["a list of people", '[{"name": "Anna", "args": {"age": 3}}]'],
];

describe("UA2, UA3, FA2, LA2, TK2, WC2: an answer stays whole", () => {
  it.each(WHOLE)("%s", async (_name, text) => {
    const { agent } = scriptedAgent([text]);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(text);
  });

  it.each(WHOLE)("%s, with native tools", async (_name, text) => {
    const { agent } = searching([text]);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(text);
  });

  it.each([
    ["an example in code", "# Agents\n\n```\nThought: x\nFinal Answer: 42\n```\n\nThe end."],
    ["a section of the same name", "# A\n\n## Final Answer\nNo.\n\n## B\nYes."],
    ["a report of observations", "Seen:\n**Observation:** it turned blue.\nIt is an acid."],
    ["a call to action", "Buy tea now.\n\nCall to Action: visit us."],
  ])("behind its label in the text form, though it has %s", async (_name, document) => {
    const { agent } = searching([`Thought: done\nFinal Answer: ${document}`], TEXT_ONLY);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(document);
  });
});

describe("AL2: calls in the text of a native model", () => {
  it.each([
    ["tags", `<tool_call>\n${call}\n</tool_call>`],
    ["prose and a tag", `I look.\n<tool_call>\n${call}\n</tool_call>`],
    ["an object", '{"name": "search", "parameters": {"query": "Fuji"}}'],
    ["a function tag", '<function=search>{"query": "Fuji"}</function>'],
  ])("in %s are made", async (_name, text) => {
    const { agent, asked, model } = searching([text, "done"]);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("done");
    expect(asked).toEqual([{ query: "Fuji" }]);
    expect(model.calls[1]?.request.messages.at(-1)).toMatchObject({
      role: "tool",
      content: "it is 3776 m high",
    });
  });

  it("two at once are both made", async () => {
    const other = call.replace("Fuji", "Etna");
    const { agent, asked } = searching([
      `<tool_call>${call}</tool_call><tool_call>${other}</tool_call>`,
      "done",
    ]);
    await runCrewToEnd(soloCrew(agent));
    expect(asked).toEqual([{ query: "Fuji" }, { query: "Etna" }]);
  });

  it("are examples in a code block behind prose", async () => {
    const text = `A call looks like this:\n\n\`\`\`json\n${call}\n\`\`\``;
    const { agent, asked } = searching([text]);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(text);
    expect(asked).toEqual([]);
  });

  it("of unknown tools are text", async () => {
    const text = '<tool_call>{"name": "erase", "arguments": {}}</tool_call>';
    const { agent, asked } = searching([text]);
    expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe(text);
    expect(asked).toEqual([]);
  });
});

describe("UA4: a forced answer", () => {
  it.each([
    ["plain", "Observation"],
    ["bold", "**Observation**"],
  ])("as an action drops invented results, %s", async (_name, label) => {
    const { agent } = searching([]);
    const limited = scriptedAgent(
      [
        `Thought: more\nAction: search\nAction Input: {"query": "x"}\n${label}: 99`,
        `Thought: more\nAction: search\nAction Input: {"query": "y"}\n${label}: 99`,
      ],
      { modelOptions: TEXT_ONLY, tools: agent.tools, maxIter: 1 },
    );
    const { raw } = (await runCrewToEnd(soloCrew(limited.agent))).result;
    expect(raw).toContain("Action Input");
    expect(raw).not.toContain("99");
  });
});

describe("AL6: a call cut off at the length limit of the message", () => {
  it.each([
    ["an action", 'Action: search\nAction Input: {"query": "Fu'],
    ["a call with complete arguments", 'Action: search\nAction Input: {"query": "Fuji"}'],
    ["a tag", '<tool_call>{"name": "search", "arguments": {"query": "Fu'],
  ])("is not made: %s", async (_name, text) => {
    for (const modelOptions of [TEXT_ONLY, undefined]) {
      if (modelOptions === undefined && !text.startsWith("<")) continue;
      const asked: unknown[] = [];
      const { agent, model } = scriptedAgent(
        [{ text, finishReason: "length" }, "Final Answer: x"],
        {
          tools: searching([]).agent.tools.map((each) => ({
            ...each,
            call: async (input: unknown) => void asked.push(input),
          })),
          ...(modelOptions === undefined ? undefined : { modelOptions }),
        },
      );
      expect((await runCrewToEnd(soloCrew(agent))).result.raw).toBe("x");
      expect(asked).toEqual([]);
      expect(model.calls[1]?.request.messages.at(-1)?.content).toContain(
        "reached the limit of its length",
      );
    }
  });
});
