// What a tool is told beside its input, and what becomes of its result.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { EnvVar } from "../../../src/tools/env-vars.ts";
import { Fingerprint } from "../../../src/security/fingerprint.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  calling,
  lastTold,
  runCrewToEnd,
  runCrewToFailure,
  scriptedAgent,
  soloCrew,
} from "../../support/crew-harness.ts";

function withTool(
  run: (context: ToolContext) => unknown,
  options: Partial<Parameters<typeof tool>[0]> = {},
) {
  const made = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    ...options,
    run: (_, context) => run(context),
  });
  return scriptedAgent([calling("look"), "done"], { tools: [made], role: "Expert of {topic}" });
}

/** Fingerprints; which ones is tested with them. */
const SOMEBODY = {
  agentFingerprint: expect.any(Fingerprint) as Fingerprint,
  taskFingerprint: expect.any(Fingerprint) as Fingerprint,
};

it("a tool receives its caller", async () => {
  const seen: unknown[] = [];
  const { agent } = withTool(({ agentRole, taskName, env, security }) => {
    seen.push({ agentRole, taskName, env, security });
  });
  await runCrewToEnd(soloCrew(agent), { topic: "tea" });
  expect(seen).toEqual([
    { agentRole: "Expert of tea", taskName: "work", env: {}, security: SOMEBODY },
  ]);
});

describe("declared variables of a tool", () => {
  const KEY: EnvVar = { name: "LOOK_KEY", description: "from look.example" };
  const variables = { LOOK_KEY: "secret", OTHER: "hidden" };
  const looking = (envVars: readonly EnvVar[]) => {
    const seen: unknown[] = [];
    return { seen, ...withTool(({ env }) => void seen.push(env), { envVars }) };
  };

  it("are handed to it, with defaults, and no others", async () => {
    const { agent, seen } = looking([
      KEY,
      { name: "LOOK_URL", description: "where", default: "https://look.example" },
      { name: "LOOK_EXTRA", description: "more", required: false },
    ]);
    await soloCrew(agent)
      .start({ inputs: { topic: "x" }, services: { variables } })
      .output();
    expect(seen).toEqual([{ LOOK_KEY: "secret", LOOK_URL: "https://look.example" }]);
  });

  it("fail the run before it spends anything, naming the missing ones", async () => {
    const { agent, model, seen } = looking([KEY]);
    const { error } = await runCrewToFailure(soloCrew(agent), { topic: "x" });
    expect(error).toMatchObject({
      code: "invalid_definition",
      message:
        'tool "look" needs variables that this deployment does not set: LOOK_KEY (from look.example)',
    });
    expect(model.calls).toEqual([]);
    expect(seen).toEqual([]);
  });

  it.each([[[{ name: "a b", description: "x" }]], [[{ name: "A" }]], [[{ name: 1 }]]])(
    "VD20: refuses the declaration %j",
    (envVars) => {
      expect(() => looking(envVars as unknown as EnvVar[])).toThrow(
        /envVars\[0\] must have a name/,
      );
    },
  );
});

describe("a result schema", () => {
  const resultSchema = z.object({ n: z.number() });

  it.each<[string, unknown, string]>([
    [
      "makes compact JSON of a fitting result, without unknown fields",
      { n: 1, secret: 2 },
      '{"n":1}',
    ],
    ["leaves another result as it is", { n: "one" }, '{"n":"one"}'],
    ["leaves text as it is", "plain", "plain"],
  ])("%s", async (_, result, told) => {
    const { agent, model } = withTool(() => result, { resultSchema });
    await runCrewToEnd(soloCrew(agent), { topic: "x" });
    expect(lastTold(model, 1)).toBe(told);
  });
});
