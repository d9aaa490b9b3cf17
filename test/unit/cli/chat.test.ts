import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Agent } from "../../../src/agent/description/agent.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import { talkOf } from "../../support/talks.ts";
import { Terminal, WORKER, type CliOptions } from "../../support/cli-world.ts";
import { FilesWorld } from "../../support/files-world.ts";

const SCREEN = { columns: 80, rows: 24 };

describe("a chat", () => {
  it("sends an agent the conversation so far, line by line", async () => {
    const heard: string[][] = [];
    const world = new Terminal({
      terminal: SCREEN,
      script: ({ messages }) => {
        heard.push(messages.filter(({ role }) => role !== "system").map(({ content }) => content));
        return `answer ${heard.length}`;
      },
    });
    const { code, out, asked } = await world.run("chat writer", {
      answers: ["Hello", "", "and \\", "then?", "/quit"],
    });
    expect([code, asked]).toEqual([0, ["You", "You", "You", "…", "You"]]);
    expect(out).toBe("answer 1\nanswer 2\n");
    const last = heard.at(-1)?.join("\n") ?? "";
    expect(last).toMatch(/Hello[^]*answer 1[^]*and \nthen\?/);
  });

  it("CHS2: continues after a failed turn, without that turn", async () => {
    const world = new Terminal({
      terminal: SCREEN,
      script: ({ messages }) => {
        if (messages.some(({ content }) => content.includes("first")))
          throw new Error("the model is down");
        return "here again";
      },
    });
    const { code, out, err } = await world.run("chat writer", {
      answers: ["first", "second", "/quit"],
    });
    expect([code, out]).toEqual([0, "here again\n"]);
    expect(err).toContain("the model is down");
  });

  it("has commands: /run, /new, /file, and lists them after an unknown one", async () => {
    const heard: string[] = [];
    const world = new Terminal({
      terminal: SCREEN,
      script: ({ messages }) => {
        heard.push(messages.map(({ content }) => content).join("\n"));
        return "ok";
      },
    });
    const { err } = await world.run("chat writer", {
      answers: [
        "/run",
        "marked words",
        "/run",
        "/new",
        "again",
        "/file none.txt",
        "/what",
        "/quit",
      ],
    });
    expect(err).toMatch(
      /no run yet[^]*run \S+: edgecrew runs show \S+[^]*begun again[^]*no file "none.txt"[^]*there is no \/what/,
    );
    expect(heard.at(-1)).not.toContain("marked words");
  });

  it("sends a file with the next message", async () => {
    const worker = new FilesWorld({ script: () => "seen" });
    const world = new Terminal({ worker, terminal: SCREEN });
    writeFileSync(`${world.folder}/notes.txt`, "tea");
    const { code, out, err } = await world.run("chat writer", {
      answers: ["/file notes.txt", "read it", "/quit"],
    });
    expect([code, out]).toEqual([0, "seen\n"]);
    expect(err).toContain("notes.txt is attached to your next message");
    const [run] = JSON.parse((await world.run("runs ls --json")).out).items;
    expect((await worker.ask(`/runs/${run.id}`)).text).toContain("notes.txt");
  });

  it("about a crew takes files", async () => {
    const worker = new FilesWorld({ script: [{ text: "crew" }, { text: "seen" }] });
    const world = new Terminal({ worker, terminal: SCREEN });
    writeFileSync(`${world.folder}/notes.txt`, "tea");
    const answers = ["/file notes.txt", "read it", "/quit"];
    const { err } = await world.run("chat greeting", { answers });
    expect(err).toContain("notes.txt is attached to your next message");
    const [run] = JSON.parse((await world.run("runs ls --json")).out).items;
    expect((await worker.ask(`/runs/${run.id}`)).text).toContain("notes.txt");
  });

  it("CHS1: with a conversational flow continues its session", async () => {
    const flow = talkOf({});
    const world = new Terminal({ flows: { support: flow }, terminal: SCREEN });
    const { code, out, err } = await world.run("chat support", {
      answers: ["Hello", "And you?", "/quit"],
    });
    expect(code).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(2);
    const [, id] = /--session (\S+)/.exec(err) ?? [];
    const more = await world.run(`chat support --session ${id} -m Again`, { answers: [] });
    expect([more.code, more.err]).toEqual([0, expect.stringContaining(`--session ${id}`)]);
  });

  it("prints the answer as it streams, and once", async () => {
    const poet = new Agent({ role: "Poet", goal: "g", backstory: "b", stream: true });
    const world = new Terminal({
      agents: { poet },
      terminal: SCREEN,
      script: () => "one two three four",
    });
    const { out, pieces } = await world.run("chat poet", { answers: ["Hello", "/quit"] });
    expect(out).toBe("one two three four\n");
    expect(pieces.length).toBeGreaterThan(2);
  });

  it("about a crew starts it, and shows the answer alone", async () => {
    const script: Script = ({ messages, tools }) => {
      const [system] = messages;
      const says = (text: string): boolean => system?.content.includes(text) ?? false;
      if (says("You describe what software does"))
        return '{"crew":"Writes briefings","inputs":{"topic":"What it is about"}}';
      if (!says("You talk with a person")) return "the work";
      const last = messages.at(-1);
      if (last?.role === "tool") return `Here: ${last.content}`;
      return { toolCalls: [{ name: tools?.[0]?.name ?? "", arguments: { topic: "tea" } }] };
    };
    const world = new Terminal({ terminal: SCREEN, script });
    const { code, out } = await world.run("chat briefing", { answers: ["On tea", "/quit"] });
    expect([code, out]).toEqual([0, "Here: the work\n"]);
  });

  it("refuses a flow without turns", async () => {
    const { code, err } = await new Terminal().run("chat review -m hi");
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/"review"; there are: briefing, greeting, researcher, writer/),
    ]);
  });

  it("CLI3: asks no question without a terminal; --message has the text (CL2)", async () => {
    const world = new Terminal({ script: () => "fine" });
    const off = await world.run("chat writer");
    expect([off.code, off.err]).toEqual([2, expect.stringContaining("--message <text>")]);
    const { code, out } = await world.run("chat writer -m one -m two --json");
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { role: "assistant", content: "fine" },
      { role: "assistant", content: "fine" },
    ]);
  });

  it("with a failed turn and no terminal is exit code 1 (CL5)", async () => {
    const options: CliOptions = {
      variables: { EDGECREW_URL: WORKER },
      script: () => {
        throw new Error("the model is down");
      },
    };
    expect((await new Terminal(options).run("chat writer -m one")).code).toBe(1);
  });
});
