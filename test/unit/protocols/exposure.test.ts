import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import { Exposure, type Expose } from "../../../src/protocols/exposure.ts";
import { HttpWorld } from "../../support/http-app.ts";

const world = new HttpWorld();
const namesake = new Agent({ role: "Briefer", goal: "Brief", backstory: "Short." });

function exposureOf(expose: Expose, of = world): Exposure {
  return new Exposure(expose, of.services);
}

async function names(expose: Expose, tenant = "default", of = world): Promise<readonly string[]> {
  const all = await exposureOf(expose, of).list(tenant);
  return all.map(({ kind, name, publicName }) => `${kind}/${name} as ${publicName}`);
}

describe("subjects exposed by an app", () => {
  it("XP1: are the named ones only", async () => {
    expect(await names({})).toEqual([]);
    expect(await names({ "crew/briefing": true, "agent/writer": { as: "scribe" } })).toEqual([
      "crew/briefing as briefing",
      "agent/writer as scribe",
    ]);
    await expect(exposureOf({ "crew/briefing": true }).find("default", "greeting")).rejects.toThrow(
      'no exposed target "greeting"',
    );
    await expect(
      exposureOf({ "crew/briefing": true }).findOwn("default", { kind: "crew", name: "greeting" }),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  it("XP1: leave out unknown names", async () => {
    expect(await names({ "crew/gone": true, "crew/briefing": true })).toEqual([
      "crew/briefing as briefing",
    ]);
  });

  it("XP1: with all, stored definitions of the tenant are among them", async () => {
    const own = new HttpWorld();
    await own.ask("/crews/stored", {
      method: "PUT",
      json: {
        agents: { a: { role: "A", goal: "g", backstory: "b" } },
        tasks: [{ name: "t", description: "Say {word}", expectedOutput: "x", agent: "a" }],
      },
    });
    expect(await names("all", "default", own)).toContain("crew/stored as stored");
    expect(await names("all", "other", own)).not.toContain("crew/stored as stored");
    const found = await exposureOf("all", own).find("default", "stored");
    expect(found.info).toMatchObject({
      description: "A crew of 1 agent: A",
      inputSchema: { required: ["word"] },
      skills: [{ id: "t", name: "t", tags: ["a"], examples: ["x"] }],
    });
  });

  it("XP2: one name of two kinds is resolved by the qualified name, which always works", async () => {
    const twins = new HttpWorld({ agents: { briefing: namesake } });
    const all = await names("all", "default", twins);
    expect(all).toContain("crew/briefing as briefing");
    expect(all).toContain("agent/briefing as agent.briefing");
    const exposure = exposureOf("all", twins);
    expect((await exposure.find("default", "briefing")).kind).toBe("crew");
    expect((await exposure.find("default", "agent.briefing")).kind).toBe("agent");
    expect((await exposure.find("default", "crew.greeting")).name).toBe("greeting");
  });

  it("XP2: a subject with a public name is not found under its own", async () => {
    const exposure = exposureOf({ "crew/briefing": { as: "news" } });
    expect((await exposure.find("default", "news")).name).toBe("briefing");
    await expect(exposure.find("default", "briefing")).rejects.toMatchObject({ code: "not_found" });
    expect((await exposure.find("default", "crew.briefing")).name).toBe("briefing");
  });

  it("XP3: an impossible name is not found", async () => {
    for (const name of ["", ".", "crew.", ".briefing", "__proto__", "constructor", "crew.toString"])
      await expect(exposureOf("all").find("default", name)).rejects.toMatchObject({
        code: "not_found",
      });
  });

  it("have the app's fields in place of the definition's", async () => {
    const skills = [{ id: "s", name: "S", description: "d", tags: ["t"] }];
    const found = await exposureOf({ "crew/briefing": { description: "Ours", skills } }).find(
      "default",
      "briefing",
    );
    expect(found.info).toMatchObject({ description: "Ours", skills });
  });

  it.each([
    ["everything", 'expose must be "all"'],
    [{ briefing: true }, 'has the key "briefing": expected kind/name'],
    [{ "crew/": true }, "expected kind/name"],
    [{ "crew/a": false }, 'expose ["crew/a"] must be true or an object'],
    [{ "crew/a": { as: "a b" } }, "as must be 1 to 128 letters"],
    [{ "crew/a": { as: "x" }, "crew/b": { as: "x" } }, 'two subjects with as: "x"'],
  ])("refuses %j", (expose, message) => {
    expect(() => exposureOf(expose as Expose)).toThrow(message);
  });
});
