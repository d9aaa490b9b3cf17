// What runs have consumed, on a terminal.
import { describe, expect, it } from "vitest";
import { usage } from "../../../src/entry/usage.ts";
import { HttpWorld } from "../../support/http-app.ts";
import { sqliteD1 } from "../../support/sqlite-d1.ts";
import { Terminal } from "../../support/cli-world.ts";

async function terminal(): Promise<Terminal & { db: ReturnType<typeof sqliteD1> }> {
  const db = sqliteD1();
  const worker = new HttpWorld({ env: { DB: db }, parts: [usage()] });
  await worker.clock.advance(Date.now() - worker.clock.now());
  for (const topic of ["tea", "coffee"]) await worker.kickoff("briefing", { inputs: { topic } });
  return Object.assign(new Terminal({ worker }), { db });
}

describe("usage", () => {
  it("shows tokens and cost by day, crew and model, as reported by the Worker", async () => {
    const world = await terminal();
    const today = new Date().toISOString().slice(0, 10);
    const { json } = await world.http.ask("/usage");
    const sums = json["items"]?.[0];
    const shown = new RegExp(
      `\\t4\\t${Number(sums?.["promptTokens"])}\\t${Number(sums?.["completionTokens"])}\\t0\\.\\d{4}\n$`,
    );
    const byDay = await world.run("usage --days 1");
    expect([byDay.code, byDay.out]).toEqual([0, expect.stringMatching(shown)]);
    expect(byDay.out.startsWith(today)).toBe(true);
    expect((await world.run("usage --by crew")).out).toMatch(/^briefing\t4\t/);
    expect((await world.run("usage --by model")).out.split("\t")).toHaveLength(5);
    expect(JSON.parse((await world.run("usage --by crew --json")).out)).toMatchObject({
      items: [{ name: "briefing", requests: 4 }],
    });
  });

  it("writes lines for a spreadsheet, in which no name is a formula", async () => {
    const world = await terminal();
    world.db.sqlite.exec(`UPDATE usage_days SET name = '=cmd, "x"'`);
    const { out } = await world.run("usage --by crew --csv");
    expect(out).toMatch(/^CREW,CALLS,TOKENS IN,TOKENS OUT,COST USD\n"'=cmd, ""x""",4,\d+,/);
  });

  it("estimates the platform's costs, marked as an estimate and with its date", async () => {
    const world = await terminal();
    const { out, err } = await world.run("usage --platform");
    // 40 rows a run, and 10 a call.
    expect(out).toContain("rows of objects\t120\t0.0001\n");
    expect(err).toMatch(
      /2 runs in 30 days: at most about \$0\.\d{4}\. This is an estimate with the prices of November 2026/,
    );
  });

  it.each([
    ["usage --days 0", /--days: expected an integer from 1 to 400, got "0"/],
    ["usage --days 1.5", /--days/],
    ["usage --days 401", /--days/],
    ["usage --by agent", /--by: expected day, crew or model, got "agent"/],
    ["usage --csv --json", /one of them/],
  ])("%s is wrong use (CL1)", async (line, message) => {
    const { code, out, err } = await new Terminal().run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });

  it("names the missing part of a Worker without usage", async () => {
    const { code, err } = await new Terminal().run("usage");
    expect(code).toBe(1);
    expect(err).toMatch(/this Worker records no usage[^]*parts: \[usage\(\)\]/);
  });
});
