// Runs of definitions that are stored for them alone, as CrewAI's `run --definition` and `run -f` mean them.
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { declarativeFlows } from "../../../src/declarative/index.ts";
import { Terminal } from "../../support/cli-world.ts";

const FLOW = `schema: crewai.flow/v1
name: Greeter
methods:
  greet:
    start: true
    human_feedback: { message: "Good?" }
    do: { call: expression, expr: "'Hello ' + state.who" }
`;

describe("run --definition", () => {
  it("TMP1: runs a declared flow, and leaves no definition behind, also when the run waits (CL14)", async () => {
    const world = new Terminal({
      declarativeFlows: declarativeFlows(),
      terminal: { columns: 80, rows: 24 },
      answers: [true],
    });
    writeFileSync(`${world.folder}/flow.yaml`, FLOW);
    const { code, out } = await world.run("run --definition flow.yaml --input who=Ada --id f1");
    expect([code, out]).toEqual([0, expect.stringContaining("Hello Ada")]);
    expect((await world.http.ask("/flows")).json["items"]).toHaveLength(1); // that of the code
  });

  it("leaves no definition behind when the start is refused", async () => {
    const world = new Terminal({ declarativeFlows: declarativeFlows() });
    writeFileSync(`${world.folder}/flow.yaml`, FLOW);
    expect((await world.run("run --definition flow.yaml --id 'no id'")).code).toBe(2);
    expect((await world.http.ask("/flows")).json["items"]).toHaveLength(1);
  });

  it.each([
    ["run review --definition flow.yaml", /a name or --definition, got both/],
    ["run --definition none.yaml", /--definition: .*none.yaml/],
    ["run --definition bad.yaml", /methods/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const world = new Terminal({ declarativeFlows: declarativeFlows() });
    writeFileSync(`${world.folder}/flow.yaml`, FLOW);
    writeFileSync(`${world.folder}/bad.yaml`, "name: x\n");
    const { code, out, err } = await world.run(line);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });
});

describe("run -f", () => {
  const NOTES = {
    agents: { poet: { role: "Poet", goal: "g", backstory: "b" } },
    tasks: [{ name: "write", description: "Write", expectedOutput: "A line", agent: "poet" }],
  };

  it("starts a crew with a training, and stores no other crew", async () => {
    const asked: string[] = [];
    const world = new Terminal({
      script: ({ messages }) => {
        asked.push(messages.map(({ content }) => content).join("\n"));
        return "A line";
      },
    });
    await world.http.ask("/crews/notes", { method: "PUT", json: NOTES });
    const poet = { suggestions: ["Rhyme always"], quality: 9, finalSummary: "Good" };
    await world.http.trained("default").put({ name: "verses", agents: { Poet: poet } });
    const { code, out } = await world.run("run notes -f verses.pkl");
    expect([code, out]).toEqual([0, "A line\n"]);
    expect(asked[0]).toContain("Rhyme always");
    expect((await world.http.ask("/crews/notes")).json["definition"]).not.toHaveProperty("trained");
    const { items } = JSON.parse((await world.run("runs ls --json")).out);
    expect((await world.http.ask("/crews")).json["items"]).toHaveLength(3);
    expect(items).toHaveLength(1);
  });

  it("names a missing training", async () => {
    const { code, err } = await new Terminal().run("run greeting -f verses.pkl");
    expect([code, err]).toEqual([2, expect.stringMatching(/trained[^]*verses/)]);
  });

  it.each([
    ["run greeting -f verses.txt", /ends in .pkl/],
    ["run greeting --meta 7", /--meta: expected a JSON object/],
    ["run greeting --stored-version x", /--stored-version: expected an integer/],
  ])("%j is wrong use (CL1)", async (line, message) => {
    const { code, err } = await new Terminal().run(line);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
