import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/base/json.ts";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { tool } from "../../../src/tools/tool.ts";
import { Terminal, type CliOptions } from "../../support/cli-world.ts";

const SCREEN = { columns: 80, rows: 24 };

/** A crew whose tool asks a person, and whose answer is what the person said. */
function worldAsking(
  wait: { readonly schema?: JsonObject },
  answers: CliOptions["answers"],
): Terminal {
  const decide = tool({
    name: "decide",
    description: "Asks a person.",
    input: z.object({}),
    run: (_, context) => context.wait("answer", { kind: "human", prompt: "How many?", ...wait }),
  });
  const agent = new Agent({ role: "A", goal: "g", backstory: "b", tools: [decide] });
  const task = new Task({ name: "t", description: "d", expectedOutput: "x", agent });
  return new Terminal({
    crews: { asking: new Crew({ name: "asking", tasks: [task] }) },
    terminal: SCREEN,
    ...(answers === undefined ? {} : { answers }),
    script: ({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool"
        ? `Said: ${last.content}`
        : { toolCalls: [{ name: "decide", arguments: {} }] };
    },
  });
}

describe("a question of a run, at a terminal", () => {
  it("ASK1: of a schema is asked field by field, and again when an answer does not fit (CL12)", async () => {
    const schema = {
      type: "object",
      properties: {
        count: { type: "integer", minimum: 1, description: "of cups" },
        size: { type: "string", enum: ["small", "large"] },
        note: { type: "string" },
      },
      required: ["count", "size"],
    };
    const world = worldAsking({ schema }, ["many", "0", "3", "large", ""]);
    const { code, out, asked } = await world.run("run asking --id r1");
    const first: unknown = expect.stringMatching(/How many\?\ncount: of cups$/);
    expect(asked).toEqual([
      first,
      expect.stringMatching(/^! .*integer/),
      first,
      expect.stringMatching(/^! .*at least 1/),
      first,
      expect.stringMatching(/\nsize$/),
      expect.stringMatching(/\nnote \(may be empty\)$/),
    ]);
    expect([code, out]).toEqual([0, 'Said: {"count":3,"size":"large"}\n']);
  });

  it("ASK1: is declined with the wanted change (CL12)", async () => {
    const world = worldAsking({}, [false, "fewer cups"]);
    const { code, out, asked } = await world.run("run asking --id r1");
    expect(asked).toEqual([expect.stringMatching(/How many\?\nApprove\?$/), "Requested change?"]);
    expect(code).toBe(0);
    expect(out).toContain("fewer cups");
    expect(out).toMatch(/"approve":false|rejected|declined/);
  });
});
