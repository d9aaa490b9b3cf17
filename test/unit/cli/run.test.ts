import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { Terminal } from "../../support/cli-world.ts";

const SCREEN = { columns: 80, rows: 24 };

describe("inputs", () => {
  const inputsOf = async (line: string, more = {}): Promise<unknown> => {
    const world = new Terminal(more);
    const { code, err } = await world.run(`run briefing --id r1 ${line}`, more);
    if (code !== 0) return [code, err];
    return (await world.http.ask("/runs/r1")).json["inputs"];
  };
  const file = `${mkdtempSync(`${tmpdir()}/edgecrew-inputs-`)}/topic.txt`;
  writeFileSync(file, "tea\nand cups");

  it.each([
    ["--input topic=tea", { topic: "tea" }],
    ["--input topic=a=b", { topic: "a=b" }],
    ["--input topic:=[1,2]", { topic: [1, 2] }],
    [`--input topic=@${file}`, { topic: "tea\nand cups" }],
    [`--inputs '{"topic":"x","n":1}' --input topic=tea`, { topic: "tea", n: 1 }],
    [`--input topic=tea --input n:=2`, { topic: "tea", n: 2 }],
  ])("RIN1: %s (CL10)", async (line, expected) => {
    expect(await inputsOf(line)).toEqual(expected);
  });

  it("RIN1: may come from standard input (CL10)", async () => {
    expect(await inputsOf("--inputs -", { input: '{"topic":"tea"}' })).toEqual({ topic: "tea" });
  });

  it.each([
    ["--input topic", /--input needs name=value, got "topic"/],
    ["--input topic=a --input topic=b", /--input topic stands twice/],
    ["--input topic:=nope", /expected JSON after :=/],
    ["--input topic=@none.txt", /there is no file none.txt/],
    ["--inputs [1]", /expected an object, got a list/],
    ["--inputs {", /expected a JSON object/],
    ["--inputs @none.json", /there is no file none.json/],
    ["", /briefing needs topic\n {2}edgecrew run briefing --input topic=…/],
  ])("RIN1: %j is wrong use (CL2, CL10)", async (line, message) => {
    expect(await inputsOf(line)).toEqual([2, expect.stringMatching(message)]);
  });

  it("RIN2: unused ones are sent, with a warning and the nearest name (CL10)", async () => {
    const world = new Terminal();
    const { err } = await world.run("run briefing --id r1 --input topic=tea --input topik=x");
    expect(err).toContain("no text uses the input topik; did you mean topic?");
    expect((await world.http.ask("/runs/r1")).json["inputs"]).toEqual({ topic: "tea", topik: "x" });
  });

  it("are asked for at a terminal, and saved for --last", async () => {
    const world = new Terminal({ terminal: SCREEN, answers: ["tea"] });
    writeFileSync(`${world.folder}/wrangler.toml`, 'name = "x"\n');
    const { code, asked } = await world.run("run briefing");
    expect([code, asked]).toEqual([0, ["topic"]]);
    expect((await world.run("run briefing --last", { answers: [] })).code).toBe(0);
  });
});

describe("a followed run", () => {
  it("FLW1: ends with its output on standard output, and the rest beside it (CL5)", async () => {
    const world = new Terminal();
    const { code, out, err } = await world.run("run briefing --id r1 --input topic=tea");
    expect([code, out]).toEqual([0, "A fine answer\n"]);
    expect(err).toMatch(/research works\n.*research done.*\n.*report works/);
    expect(err).toContain("run r1 completed");
    const whole = await world.run("run greeting --json");
    expect(JSON.parse(whole.out)).toMatchObject({ status: "completed", name: "greeting" });
  });

  it("CLI1: with a failure is exit code 1, with the next command (CL5)", async () => {
    const world = new Terminal({
      script: () => {
        throw new Error("the model is down");
      },
    });
    const { code, out, err } = await world.run("run greeting --id r1");
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/✗ run r1 failed: [^]*down[^]*edgecrew runs show r1/);
  });

  it("FLW2: waiting for a person is exit code 3, with the command for the answer (CL5)", async () => {
    const world = new Terminal();
    const { code, err } = await world.run("run review --id r1 --input topic=tea");
    expect(code).toBe(3);
    expect(err).toMatch(
      /run r1 waits for a person: .*Good\?\n {2}edgecrew waits answer r1 \S+ --choice approved/,
    );
  });

  it("FLW2: asks the person at the terminal (CL12)", async () => {
    const world = new Terminal({ terminal: SCREEN, answers: ["approved"] });
    const { code, out, asked } = await world.run("run review --id r1 --input topic=tea");
    expect(asked).toEqual([expect.stringContaining("Good?")]);
    expect([code, out]).toEqual([0, "Published: On tea\n"]);
  });

  it("FLW3: continues when somebody else has answered (CL12)", async () => {
    const world: Terminal = new Terminal({
      terminal: SCREEN,
      answers: [
        async (signal) => {
          const { json } = await world.http.ask("/runs/r1");
          const [wait] = json["waits"] as unknown as { key: string }[];
          const path = "/runs/r1/resume";
          await world.http.ask(path, { json: { key: wait?.key, value: "rejected" } });
          await world.http.clock.settle();
          return new Promise((_, reject) => {
            signal?.addEventListener("abort", () => reject(new Error("taken back")));
          });
        },
      ],
    });
    const { code, out, err } = await world.run("run review --id r1 --input topic=tea");
    expect([code, out]).toEqual([0, "Dropped\n"]);
    expect(err).toContain("it was answered elsewhere");
  });

  it("FLW1: continues on the Worker after Ctrl-C (CL5)", async () => {
    const interrupted = new AbortController();
    const world = new Terminal({
      terminal: SCREEN,
      signal: interrupted.signal,
      answers: [
        () => {
          interrupted.abort();
          return new Promise(() => undefined);
        },
      ],
    });
    const { code, err } = await world.run("run review --id r1 --input topic=tea");
    expect(code).toBe(130);
    expect(err).toMatch(/run r1 goes on\n {2}edgecrew runs watch r1, edgecrew runs cancel r1/);
    expect((await world.http.ask("/runs/r1")).json["status"]).toBe("waiting");
  });

  it("prints its events alone, or its id alone", async () => {
    const world = new Terminal();
    const { out } = await world.run("run greeting --events");
    const types = out
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect([types[0], types.at(-1)]).toEqual(["run_started", "run_completed"]);
    expect((await world.run("run greeting --id later --detach")).out).toBe("later\n");
    const again = await world.run("runs watch later");
    expect([again.code, again.out]).toEqual([0, "A fine answer\n"]);
  });
});

describe("the subject of a run", () => {
  it("is named, unless there is only one", async () => {
    const world = new Terminal();
    const none = await world.run("run");
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining("briefing, greeting, review"),
    ]);
    const wrong = await world.run("run greting");
    expect(wrong.err).toMatch(
      /no crew, flow, agent or conversation "greting"[^]*edgecrew run greeting/,
    );
    const one = new Terminal({ flows: {}, agents: {}, crews: {} });
    expect((await one.run("run")).err).toContain("found nothing to run");
  });

  it("an agent takes its message behind its name; a crew takes none", async () => {
    const world = new Terminal();
    const { code } = await world.run("run writer 'How much is shipping?' --kind agent --id r1");
    expect(code).toBe(0);
    expect(JSON.stringify((await world.http.ask("/runs/r1")).json["inputs"])).toContain(
      "How much is shipping?",
    );
    expect((await world.run("run writer one -m two")).err).toContain("got both");
    const crew = await world.run("run briefing tea");
    expect([crew.code, crew.err]).toEqual([
      2,
      expect.stringMatching(/briefing is a crew[^]*edgecrew run briefing --input/),
    ]);
  });

  it("a run is found by the beginning of its id (CL16)", async () => {
    const world = new Terminal();
    for (const id of ["abcdef-1", "abcdef-2", "xyzxyz-1"])
      await world.run(`run greeting --id ${id} --detach`);
    expect((await world.run("runs show xyzxyz")).out).toContain("xyzxyz-1");
    expect((await world.run("runs show abcdef")).err).toMatch(/several runs: abcdef-2, abcdef-1/);
    expect((await world.run("runs show ab")).err).toContain("at least 6 characters");
  });
});

describe("--output", () => {
  it("writes the output into a file, and the rest as usual", async () => {
    const world = new Terminal();
    const { code, out, err } = await world.run("run briefing --input topic=tea -o brief.md");
    expect([code, out]).toEqual([0, ""]);
    expect(err).toContain(`output: ${world.folder}/brief.md`);
    const again = await world.run("run briefing --input topic=tea --json -o brief.md");
    const { output } = JSON.parse(again.out) as { output: { raw: string } };
    expect(readFileSync(`${world.folder}/brief.md`, "utf8")).toBe(`${output.raw}\n`);
  });

  it("fails for an unwritable file, and leaves no file behind", async () => {
    const world = new Terminal();
    const { code, err } = await world.run("run briefing --input topic=tea -o no/folder.md");
    expect([code, err]).toEqual([1, expect.stringContaining("no/folder.md cannot be written")]);
    mkdirSync(`${world.folder}/there`);
    const folder = await world.run("run briefing --input topic=tea -o there");
    expect([folder.code, folder.err]).toEqual([1, expect.stringContaining("it is a folder")]);
    expect(readdirSync(world.folder).filter((name) => name.includes("part"))).toEqual([]);
    expect(readdirSync(`${world.folder}/there`)).toEqual([]);
  });
});
