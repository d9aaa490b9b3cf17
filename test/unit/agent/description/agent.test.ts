import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentOptions } from "../../../../src/agent/description/agent.ts";
import { md5Hex } from "../../../../src/base/digest.ts";
import { runCrewToEnd, scriptedAgent, soloCrew } from "../../../support/crew-harness.ts";

const made = (options: Partial<AgentOptions> & { id?: string }) =>
  new Agent({ role: "R", goal: "g", backstory: "b", ...options });

describe("an agent's fields", () => {
  it("VD13: an id cannot be set", () => {
    expect(() => made({ id: "x" })).toThrowError(/^may_not_set_field/);
  });

  it("a role has no white space around it, as YAML's folded texts do; the key is made from the original text", () => {
    const folded = made({ role: "Senior {topic} Researcher\n" });
    expect(folded.role).toBe("Senior {topic} Researcher");
    expect(folded.key).toBe(md5Hex("Senior {topic} Researcher\n|g|b"));
  });

  it.each(["http://x", "", "two words", "#tool", "-x", "crewai-amp:", "https://"])(
    "VD18: refuses the MCP server %j",
    (mcp) => {
      expect(() => made({ mcps: [mcp] })).toThrowError(
        /mcps\[0\] must be a URL that begins with https/,
      );
    },
  );

  it("VD18: takes URLs, names and settings", () => {
    const mcps = [
      "notion#search",
      "notion",
      "crewai-amp:my_server",
      "https://x.example/mcp",
      { url: "https://y" },
    ];
    expect(made({ mcps }).mcps).toEqual(mcps);
  });

  it("VD19: apps are names or name/action, each once", () => {
    expect(() => made({ apps: ["gmail/send/x"] })).toThrowError(
      'agent "R": apps[0] must be the name of an app, or app/action, got "gmail/send/x"',
    );
    expect(made({ apps: ["gmail", "slack/post", "gmail", "my-own"] }).apps).toEqual([
      "gmail",
      "slack/post",
      "my-own",
    ]);
  });

  it.each([0, -1, 1.5, "5"])("VD21: refuses maxExecutionTime %j when it is defined", (value) => {
    expect(() => made({ maxExecutionTime: value as number })).toThrowError(
      /maxExecutionTime must be an integer >= 1, got/,
    );
  });

  it("warns in each run of options without effect, and of no other option", async () => {
    const options = {
      apps: ["gmail"],
      mcps: ["notion"],
      verbose: true,
      maxTokens: 5,
    };
    const { agent } = scriptedAgent(["x"], options);
    const run = await runCrewToEnd(soloCrew(agent));
    expect(run.kept("agent_warning").map((event) => "message" in event && event.message)).toEqual([
      expect.stringContaining("apps are not connected"),
      expect.stringContaining("mcps"),
    ]);
    expect(
      (await runCrewToEnd(soloCrew(scriptedAgent(["x"]).agent))).kept("agent_warning"),
    ).toEqual([]);
  });

  it("functionCallingLlm turns answers into data, and does not do the work", async () => {
    const converter = scriptedAgent(['{"n": 7}']);
    const { agent, model } = scriptedAgent(["it is seven"], {
      functionCallingLlm: converter.model,
    });
    const run = await runCrewToEnd(soloCrew(agent, { output: z.object({ n: z.number() }) }));
    expect(run.result.tasks[0]).toMatchObject({ object: { n: 7 } });
    expect(model.calls).toHaveLength(1);
    expect(converter.model.calls).toHaveLength(1);
  });
});
