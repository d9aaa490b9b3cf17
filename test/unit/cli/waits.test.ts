import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";
import { askingScript } from "../../support/http-app.ts";

const SCREEN = { columns: 100, rows: 24 };

async function waiting(ids: readonly string[], world = new Terminal()): Promise<Terminal> {
  for (const id of ids) {
    await world.run(`run review --input topic=tea --id ${id} --detach`);
    await world.http.clock.advance(1_000);
  }
  await world.http.clock.settle();
  return world;
}

const outputOf = async (world: Terminal, id: string): Promise<unknown> => {
  await world.http.clock.settle();
  return (await world.http.ask(`/runs/${id}`)).json["output"];
};

describe("waits", () => {
  it("are listed and shown", async () => {
    const world = await waiting(["first-1", "second-2"]);
    const { out } = await world.run("waits ls");
    expect(out).toMatch(/^first-1\tflow review\t.*Good\?\nsecond-2\tflow review\t/);
    expect(JSON.parse((await world.run("waits --json")).out)).toHaveLength(2);
    const shown = await world.run("waits show first-1");
    expect(shown.out).toMatch(/asks {5}.*Good\?\nchoices {2}approved, rejected/);
    const none = new Terminal();
    expect((await none.run("waits ls")).err).toBe("No run waits for an answer.\n");
  });

  it("are answered by a choice, and only by an existing one", async () => {
    const world = await waiting(["first-1"]);
    const wrong = await world.run("waits answer first-1 --choice maybe");
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('expected one of approved, rejected; got "maybe"'),
    ]);
    expect((await world.run("waits answer first-1 --choice rejected --by ana")).code).toBe(0);
    expect(await outputOf(world, "first-1")).toMatchObject({ value: "Dropped" });
    const late = await world.run("waits answer first-1 --choice approved");
    expect([late.code, late.err]).toEqual([2, expect.stringContaining("has no open question")]);
  });

  it("are answered in words", async () => {
    const world = new Terminal({ script: askingScript("Go on?") });
    await world.run("run briefing --input topic=tea --id r1 --detach");
    await world.http.clock.settle();
    expect((await world.run("waits answer r1 --feedback 'yes, please'")).code).toBe(0);
    await world.http.clock.settle();
    const { json } = await world.http.ask("/runs/r1/checkpoints?values=1");
    expect(JSON.stringify(json)).toContain("yes, please");
  });

  it.each([
    ["--approve --reject no", /say one of --approve, --reject/],
    ["", /say one of --approve/],
    ["--value nope", /--value: expected JSON/],
    ["nokey --approve", /no open wait nokey; there are: /],
  ])("answer with %j is wrong use", async (options, message) => {
    const world = await waiting(["first-1"]);
    const { code, err } = await world.run(`waits answer first-1 ${options}`);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  it("of a run with several need a key", async () => {
    const world = new Terminal({
      script: ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? "Done"
          : {
              toolCalls: ["A?", "B?"].map((question) => ({ name: "ask", arguments: { question } })),
            },
    });
    await world.run("run briefing --input topic=tea --id r1 --detach");
    await world.http.clock.settle();
    const { code, err } = await world.run("waits answer r1 --feedback yes");
    expect(code).toBe(2);
    const [, first = ""] = /waits for 2 answers; name one: (\S+), \S+/.exec(err) ?? [];
    expect((await world.run(`waits answer r1 ${first} --feedback yes`)).code).toBe(0);
  });
});

describe("the inbox at a terminal", () => {
  it("goes through the questions one by one: three answers, one left out, one gone meanwhile (CL18)", async () => {
    const ids = ["run-aa", "run-bb", "run-cc", "run-dd", "run-ee"];
    const world = await waiting(ids);
    const answerElsewhere = async (): Promise<string> => {
      await world.run("waits answer run-cc --choice rejected");
      return "approved";
    };
    const { code, err, asked } = await world.run("waits", {
      terminal: SCREEN,
      answers: [
        "answer",
        "approved",
        "skip",
        "answer",
        answerElsewhere,
        "answer",
        "rejected",
        "answer",
        "approved",
      ],
    });
    expect(code).toBe(0);
    expect(asked[0]).toMatch(/flow review, run run-aa, for .*; 5 questions left/);
    expect(err).toContain("It was answered elsewhere.");
    expect(err).toContain("3 answers sent.");
    expect(await outputOf(world, "run-aa")).toMatchObject({ value: "Published: On tea" });
    expect(await outputOf(world, "run-cc")).toMatchObject({ value: "Dropped" });
    expect(await outputOf(world, "run-dd")).toMatchObject({ value: "Dropped" });
    expect(await outputOf(world, "run-ee")).toMatchObject({ value: "Published: On tea" });
    expect((await world.http.ask("/runs/run-bb")).json["status"]).toBe("waiting");
  });

  it("asks again when an answer is refused (CL18)", async () => {
    const world = new Terminal({ script: askingScript("Go on?", ["yes", "no"]) });
    await world.run("run briefing --input topic=tea --id run-aa --detach");
    await world.http.clock.settle();
    const { code, err } = await world.run("waits", {
      terminal: SCREEN,
      answers: ["answer", "perhaps", "yes", "stop"],
    });
    expect(code).toBe(0);
    expect(err).toContain("perhaps");
    expect(err).toContain("1 answer sent.");
  });

  it("ends when the person stops", async () => {
    const world = await waiting(["run-aa", "run-bb"]);
    const { err, asked } = await world.run("waits", { terminal: SCREEN, answers: ["stop"] });
    expect([asked.length, err]).toEqual([1, "No question was answered.\n"]);
  });
});

describe("say", () => {
  it("sends a message to a run under way, once by its id, and takes it back", async () => {
    const world = await waiting(["first-1"]);
    const sent = await world.run("say first-1 in euros please --by ana --id m");
    expect([sent.code, sent.out]).toEqual([0, "message m pending\n"]);
    expect((await world.run("say first-1 in euros please --by ana --id m")).code).toBe(0);
    expect((await world.http.ask("/runs/first-1/messages")).json["items"]).toMatchObject([
      { id: "m", content: "in euros please", speaker: { name: "ana" } },
    ]);
    expect((await world.run("say first-1 --withdraw m")).out).toBe("message m withdrawn\n");
    const wrong = await world.run("say first-1 words --mode loud");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("steer, queue")]);
    expect((await world.run("say first-1")).code).toBe(2);
  });
});
