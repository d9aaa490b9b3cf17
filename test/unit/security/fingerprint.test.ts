import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../src/agent/description/agent.ts";
import { uuidV5 } from "../../../src/base/digest.ts";
import { Crew } from "../../../src/crew/crew.ts";
import { Task } from "../../../src/crew/tasks/task.ts";
import { Fingerprint } from "../../../src/security/fingerprint.ts";
import { SecurityConfig, type ToolSecurity } from "../../../src/security/security-config.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  acting,
  calling,
  runCrewToEnd,
  scriptedAgent,
  soloCrew,
  TEXT_ONLY,
} from "../../support/crew-harness.ts";

const WHO = { role: "Poet", goal: "Write", backstory: "You rhyme." };
const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

describe("a fingerprint", () => {
  it("SF1: of a seed is the same UUID, version 5 in the namespace of seeds", () => {
    const [one, two] = [Fingerprint.generate("a"), Fingerprint.generate("a")];
    expect(one.equals(two)).toBe(true);
    expect(one.uuid).toBe(uuidV5("f47ac10b-58cc-4372-a567-0e02b2c3d479", "a"));
    expect(one.equals(Fingerprint.generate("b"))).toBe(false);
  });

  it("without a seed is a random UUID, version 4", () => {
    const [one, two] = [Fingerprint.generate(), Fingerprint.generate()];
    expect(one.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(one.equals(two)).toBe(false);
  });

  it("refuses metadata nested two levels deep", () => {
    expect(Fingerprint.generate("a", { team: { name: "x" } }).metadata).toEqual({
      team: { name: "x" },
    });
    expect(() => Fingerprint.generate("a", { team: { lead: { name: "x" } } })).toThrow(
      /one level deep, "team" is deeper/,
    );
    expect(() => Fingerprint.generate("a", { team: [["x"]] })).toThrow(/deeper/);
  });

  it("refuses metadata of more than 10000 characters", () => {
    const overhead = JSON.stringify({ text: "" }).length;
    expect(() => Fingerprint.generate("a", { text: "x".repeat(10_000 - overhead) })).not.toThrow();
    expect(() => Fingerprint.generate("a", { text: "x".repeat(10_001 - overhead) })).toThrow(
      /10000 characters as JSON, got 10001/,
    );
  });

  it("refuses blank seeds and invalid records", () => {
    expect(() => Fingerprint.generate("  ")).toThrow(/seed must be a text that is not blank/);
    expect(() => Fingerprint.fromDict({ uuid: "no" })).toThrow(/must be a UUID, got "no"/);
    expect(() =>
      Fingerprint.fromDict({ uuid: Fingerprint.generate("a").uuid, createdAt: "x" }),
    ).toThrow(/ISO time/);
    expect(() =>
      Fingerprint.fromDict({ uuid: Fingerprint.generate("a").uuid, metadata: [] as never }),
    ).toThrow(/metadata must be an object/);
  });

  it("SF2: survives as data, also under upstream's names, and cannot be changed", () => {
    const createdAt = "2026-01-02T03:04:05.000Z";
    const made = Fingerprint.generate("a", { team: "x" }, { createdAt });
    expect(made.toDict()).toEqual({ uuid: made.uuid, createdAt, metadata: { team: "x" } });
    expect(Fingerprint.fromDict(structuredClone(made.toDict())).toDict()).toEqual(made.toDict());
    const theirs = { uuid_str: made.uuid, created_at: createdAt, metadata: { team: "x" } };
    expect(Fingerprint.fromDict(theirs).toDict()).toEqual(made.toDict());
    expect(() => Object.assign(made.metadata, { team: "y" })).toThrow(TypeError);
  });
});

describe("securityConfig", () => {
  it("takes a seed, an object, an instance or undefined", () => {
    const seeded = Fingerprint.generate("a");
    const configs = [
      "a",
      { fingerprint: "a" },
      { fingerprint: seeded },
      new SecurityConfig({ fingerprint: seeded.toDict() }),
    ];
    for (const securityConfig of configs)
      expect(new Agent({ ...WHO, securityConfig }).fingerprint.equals(seeded)).toBe(true);
    for (const securityConfig of [undefined, null, {}])
      expect(
        new Agent({ ...WHO, ...(securityConfig === undefined ? {} : { securityConfig }) })
          .fingerprint.uuid,
      ).toBe(new Agent(WHO).fingerprint.uuid);
  });

  it("refuses anything else", () => {
    for (const securityConfig of [7, " ", { fingerprint: 7 }, ["a"]])
      expect(() => new Agent({ ...WHO, securityConfig: securityConfig as never })).toThrow(
        /securityConfig|fingerprint/,
      );
  });

  it("SF1: without a seed the fingerprint follows from the definition's key", () => {
    const agent = new Agent(WHO);
    const task = new Task({ description: "D", expectedOutput: "E", agent });
    const crew = new Crew({ tasks: [task] });
    expect(agent.key).toBe(md5("Poet|Write|You rhyme."));
    expect(task.key).toBe(md5("D|E"));
    expect(crew.key).toBe(md5(`${agent.key}|${task.key}`));
    const all = [agent, task, crew].map(({ fingerprint }) => fingerprint.uuid);
    expect(new Set(all).size).toBe(3);
    expect(new Agent(WHO).fingerprint.uuid).toBe(agent.fingerprint.uuid);
  });

  it.each([
    { form: "native", replies: [calling("look"), calling("look", { n: 2 }), "done"], options: {} },
    {
      form: "text",
      replies: [acting("look"), acting("look", { n: 2 }), "Final Answer: done"],
      options: { modelOptions: TEXT_ONLY },
    },
  ])("tools receive the configured fingerprints in every call, $form form", async (each) => {
    const seen: Array<ToolSecurity | undefined> = [];
    const inputs: unknown[] = [];
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ n: z.number().optional() }),
      run: (input, { security }) => (inputs.push(input), seen.push(security), "seen"),
    });
    const fingerprint = Fingerprint.generate("agent", { team: "x" });
    const { agent } = scriptedAgent(each.replies, {
      tools: [look],
      securityConfig: { fingerprint },
      ...each.options,
    });
    await runCrewToEnd(soloCrew(agent, { securityConfig: "task" }));
    expect(seen).toHaveLength(2);
    for (const security of seen) {
      expect(security?.agentFingerprint).toBe(fingerprint);
      expect(security?.taskFingerprint?.uuid).toBe(Fingerprint.generate("task").uuid);
    }
    expect(inputs).toEqual([{}, { n: 2 }]);
  });
});
