// The agent of conformance tests over AG-UI: what it does is fixed by what the user says. It is made of what any app has: a flow, two agents
// and a model of its own.
//
// | User message | What happens |
// | --- | --- |
// | `check:state` | state `{ n: 0, list: [] }`, then changes to `{ n: 1, list: ["a"] }` |
// | `check:tool` | calls the first tool of the front end with an object with a number `a`; then answers with its result |
// | `check:approval` | one interrupt; answers `approved` for `{ approved: true }`, else `refused` |
// | `check:error` | the run fails |
// | anything else | a text |
import * as z from "zod";
import { agUi } from "../../src/entry/ag-ui.ts";
import { defineFlow } from "../../src/flow/index.ts";
import { Agent, tool } from "../../src/index.ts";
import type { ToolSpec } from "../../src/llm/language-model.ts";
import { scriptedModel, type ScriptedModel } from "../../src/testing/index.ts";

const APPROVED = "approved";

const confirm = tool({
  name: "confirm",
  description: "Does what needs a person's word.",
  input: z.object({ what: z.string() }),
  needsApproval: true,
  run: () => APPROVED,
});

/** Does what the conformance tests ask for, and nothing else. */
export const conformanceModel: ScriptedModel = scriptedModel(
  ({ messages, tools = [] }) => {
    const last = messages.at(-1);
    const content = last?.content ?? "";
    const asked = messages.findLast(({ role }) => role === "user")?.content ?? "";
    const [first] = tools;
    if (asked.includes("check:approval")) {
      if (last?.role === "tool") return content.includes(APPROVED) ? APPROVED : "refused";
      return { toolCalls: [{ name: "confirm", arguments: { what: "the check" } }] };
    }
    if (asked.includes("check:tool")) {
      if (last?.role === "tool") return `The tool gave: ${content}`;
      if (first === undefined) return "The front end has sent no tool.";
      return { toolCalls: [{ name: first.name, arguments: argumentsFor(first) }] };
    }
    return `You said: ${asked}`;
  },
  { id: "conformance/model" },
);

/** Arguments that fit what a tool asks for, as far as it says, with a number `a`. */
function argumentsFor({ parameters }: ToolSpec): Record<string, string | number | boolean> {
  const { properties = {} } = parameters as { properties?: Record<string, { type?: unknown }> };
  const values = Object.entries(properties).map(([name, { type }], index) => {
    if (type === "number" || type === "integer") return [name, index + 1] as const;
    return [name, type === "boolean" ? true : "text"] as const;
  });
  return { a: 1, ...Object.fromEntries(values.filter(([name]) => name !== "a")) };
}

const shared = {
  goal: "Pass the checks",
  backstory: "You do as you are asked.",
  llm: conformanceModel,
};
const speaker = new Agent({ role: "Speaker", ...shared });
const cautious = new Agent({ role: "Cautious", ...shared, tools: [confirm] });

/** The flow named `conformance`. */
export const conformance = defineFlow({
  name: "conformance",
  state: z.object({ n: z.number().default(0), list: z.array(z.string()).default([]) }),
  methods: {
    sort: {
      start: true,
      router: true,
      emit: ["state", "text", "approval", "error"],
      run: ({ inputs }) => {
        const message = messageIn(inputs);
        if (message.includes("check:state")) return "state";
        if (message.includes("check:approval")) return "approval";
        return message.includes("check:error") ? "error" : "text";
      },
    },
    count: { listen: "state", run: ({ state }) => void (state.n = 1) },
    collect: {
      listen: "count",
      run: ({ state }) => {
        state.list = ["a"];
        return "The state has changed.";
      },
    },
    answer: {
      listen: "text",
      run: async ({ inputs }) => (await speaker.kickoff(messageIn(inputs))).raw,
    },
    ask: {
      listen: "approval",
      run: async ({ inputs }) => (await cautious.kickoff(messageIn(inputs))).raw,
    },
    fail: {
      listen: "error",
      run: () => {
        throw new Error("the check asked for an error");
      },
    },
  },
});

function messageIn({ message }: Record<string, unknown>): string {
  return typeof message === "string" ? message : "";
}

/** Serves it as `/ag-ui/conformance`. In `defineApp` the flow has another name, as that of A2A has this one. */
export const conformanceAgUi = agUi({
  expose: { "flow/ag-ui-checks": { as: "conformance", input: "message" } },
});
