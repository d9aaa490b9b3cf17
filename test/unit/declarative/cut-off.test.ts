// A declared flow that is cut off after any write ends as if it never was: same outputs, same events, nothing done twice.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { flowFromDeclaration, type CodeContext } from "../../../src/declarative/index.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  cutAfterEveryResult,
  cutAfterEveryWrite,
  type Course,
  type Subject,
} from "../../support/cut-off.ts";

const DECLARATION = `
schema: crewai.flow/v1
name: Desk
state:
  type: dict
  default: { words: [a, bb], log: [] }
methods:
  words:
    start: true
    do:
      call: each
      in: state.words
      do:
        - { name: loud, action: { call: tool, ref: shout, with: { text: "\${item}" } } }
        - { name: kept, if: 'outputs.loud != "A"', action: { call: code, ref: keep, with: { text: "\${outputs.loud}" } } }
        - { name: size, action: { call: expression, expr: "size(state.log)" } }
  clerk:
    start: true # beside the words
    do:
      call: agent
      with: { role: Clerk, goal: Answer, backstory: You know., input: "Explain \${state.words[0]}" }
  crew:
    listen: { and: [words, clerk] }
    do:
      call: crew
      with:
        agents:
          w: { role: Writer, goal: "Write on {topic}", backstory: Short. }
        tasks:
          t: { description: "Write on {topic}", expected_output: A page, agent: w }
      inputs: { topic: "\${outputs.words[1]}" }
  pick:
    listen: crew
    router: true
    emit: [small, large]
    do: { call: expression, expr: "size(state.log) > 1 ? 'large' : 'small'" }
  review:
    listen: small
    do: { call: code, ref: keep, with: { text: "\${outputs.crew.tasks_output[0].name}" } }
    human_feedback: { message: Good?, emit: [good, bad] }
  end:
    listen: good
    do: { call: expression, expr: "[outputs.review.outcome, outputs.review.output, outputs.words, state.log]" }
`;

function subject(declaration = DECLARATION): Subject {
  const calls: string[] = [];
  const shout = tool({
    name: "shout",
    description: "Shouts.",
    input: z.object({ text: z.string() }),
    run: ({ text }, { idempotencyKey }) => {
      calls.push(idempotencyKey);
      return text.toUpperCase();
    },
  });
  const keep = async ({ text }: { text: string }, context: CodeContext): Promise<string> => {
    calls.push(context.idempotencyKey);
    await context.sleep("a moment", 10);
    context.state["log"] = [...(context.state["log"] as string[]), text];
    return `kept ${text}`;
  };
  const flow = flowFromDeclaration(declaration, {
    registry: { tools: [shout], functions: { keep } },
  });
  return { program: flow.program(), calls, answer: () => ({ feedback: "good" }) };
}

const OUTPUT = { value: ["good", "kept t", [0, 1], ["BB", "t"]], state: { log: ["BB", "t"] } };

const CALLED = [
  "method:review/body/code:keep",
  "method:words/item:0/step:loud/tool:shout",
  "method:words/item:1/step:kept/code:keep",
  "method:words/item:1/step:loud/tool:shout",
];

/** Without when the person answered, which is later after a crash. */
function timeless(course: Course): Course {
  const events = course.events.map((event) => event.replaceAll(/"timestamp":"[^"]+"/g, ""));
  return { ...course, events };
}

describe("DC1, AC2, AC3: a declared flow cut off", () => {
  it("after any write, has the same result", async () => {
    const { whole, cut } = await cutAfterEveryWrite(() => subject());
    expect(whole.run).toMatchObject({ status: "completed", output: OUTPUT });
    expect(whole.course.calls.map((key) => key.replace(/^.*?:/, ""))).toEqual(CALLED);
    expect(cut.length).toBeGreaterThan(30);
    for (const each of cut) expect(timeless(each.course)).toEqual(timeless(whole.course));
  });

  it("between its steps, calls no tool again", async () => {
    const inOrder = DECLARATION.replace("start: true # beside the words", "listen: words");
    const { cut } = await cutAfterEveryResult(() => subject(inOrder));
    expect(cut.length).toBeGreaterThan(15);
    for (const { calls } of cut) {
      const tools = calls.filter((key) => key.includes("/tool:"));
      expect(tools).toEqual([...new Set(tools)]);
    }
  });
});
