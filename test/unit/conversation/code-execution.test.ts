import { describe, expect, it } from "vitest";
import { codeService } from "../../../src/code/make-code-service.ts";
import type { CodeExecutionOptions } from "../../../src/conversation/agents/code-execution.ts";
import { UserProxyAgent } from "../../../src/conversation/agents/presets.ts";
import { chatProgram } from "../../../src/conversation/chats/initiate-chat.ts";
import { echoRunner, runnerOf, type NotingRunner } from "../../support/code-runners.ts";
import { lines, quiet, scripted } from "../../support/conversations.ts";
import { cutAfterEveryWrite } from "../../support/cut-off.ts";

const PRINT = "Run this:\n```python\nprint(6 * 7)\n```\n";
const RAN = "exitcode: 0 (execution succeeded)\nCode output: print(6 * 7)\n";

/** What is said between a writer of code and somebody who may run it. */
async function chat(
  codeExecution: CodeExecutionOptions | false | undefined,
  { runner = echoRunner("python"), says = [PRINT, "TERMINATE"], hasService = true } = {},
): Promise<{ readonly said: readonly string[]; readonly runner: NotingRunner }> {
  const user = quiet("user", {
    defaultAutoReply: "nothing",
    ...(codeExecution === undefined ? undefined : { codeExecution }),
  });
  const writer = scripted("writer", [...says]);
  const { chatHistory } = await user.initiateChat(
    writer,
    { message: "What is six times seven?", maxTurns: 2 },
    hasService ? { services: { code: codeService({ python: runner }) } } : {},
  );
  return { said: lines(chatHistory), runner };
}

describe("agents with code execution", () => {
  it("CRE1: answer with the output of the code", async () => {
    const { said, runner } = await chat({});
    expect(said).toEqual([
      "user: What is six times seven?",
      `writer: ${PRINT}`,
      `user: ${RAN}`,
      "writer: TERMINATE",
    ]);
    expect(runner.jobs).toHaveLength(1);
  });

  it("CRE1: leave the answer to others without code", async () => {
    const { said, runner } = await chat({}, { says: ["It is 42.", "TERMINATE"] });
    expect(said[2]).toBe("user: nothing");
    expect(runner.jobs).toEqual([]);
  });

  it("do not run code by default", async () => {
    expect((await chat(undefined)).said[2]).toBe("user: nothing");
    expect((await chat(false)).said[2]).toBe("user: nothing");
  });

  it("CRE1: look at the configured number of messages", async () => {
    const says = [PRINT, "And?", "TERMINATE"];
    const run = async (lastNMessages: "auto" | number): Promise<readonly string[]> => {
      const user = quiet("user", { defaultAutoReply: "nothing", codeExecution: { lastNMessages } });
      const { chatHistory } = await user.initiateChat(
        scripted("writer", says),
        { message: "Go", maxTurns: 3 },
        { services: { code: codeService({ python: echoRunner("python") }) } },
      );
      return lines(chatHistory).filter((line) => line.startsWith("user: "));
    };
    expect(await run("auto")).toEqual(["user: Go", `user: ${RAN}`, "user: nothing"]);
    expect(await run(0)).toEqual(["user: Go", "user: nothing", "user: nothing"]);
    // The message before the last one has its code run again.
    expect(await run(3)).toEqual(["user: Go", `user: ${RAN}`, `user: ${RAN}`]);
  });

  it("CRE2: answer after tools, and before the model", () => {
    const agent = scripted("both", ["x"], { codeExecution: {} });
    expect(agent.replyChain.map(({ kind }) => kind)).toEqual([
      "termination",
      "tools",
      "steps",
      "model",
    ]);
  });

  it("use their own runner and settings", async () => {
    const own = runnerOf(["python"], () => ({ stdout: "mine" }));
    const { said, runner } = await chat({ runner: own, timeoutMs: 5_000, workDir: "coding/" });
    expect(said[2]).toBe("user: exitcode: 0 (execution succeeded)\nCode output: mine");
    expect(runner.jobs).toEqual([]);
    expect(own.jobs[0]).toMatchObject({ timeoutMs: 5_000 });
  });

  it("fail before the first message without code runners", async () => {
    await expect(chat({}, { hasService: false })).rejects.toThrow(
      'agent "user", which has codeExecution, needs a code runner: pass codeRunners() of edgecrew/code',
    );
  });

  it("of the preset for people run it when the deployment does", async () => {
    const talk = async (code: boolean, codeExecution?: false): Promise<unknown> => {
      const user = new UserProxyAgent({
        name: "user",
        humanInputMode: "NEVER",
        defaultAutoReply: "nothing",
        ...(codeExecution === undefined ? undefined : { codeExecution }),
      });
      const { chatHistory } = await user.initiateChat(
        scripted("writer", [PRINT, "TERMINATE"]),
        { message: "Go", maxTurns: 2 },
        code ? { services: { code: codeService({ python: echoRunner("python") }) } } : {},
      );
      return chatHistory[2]?.content;
    };
    expect(await talk(true)).toBe(RAN);
    expect(await talk(false)).toBe("nothing");
    expect(await talk(true, false)).toBe("nothing");
  });

  it.each([
    [{ lastNMessages: -1 }, "lastNMessages"],
    [{ lastNMessages: "all" }, "lastNMessages"],
    [{ timeoutMs: 5 }, "timeoutMs"],
    [{ workDir: "../x" }, "workDir"],
    [{ runner: {} }, "runner"],
    ["yes", "codeExecution"],
  ])("are refused with invalid settings: %j", (codeExecution, field) => {
    expect(() => quiet("user", { codeExecution: codeExecution as never })).toThrow(field);
  });

  it("CRE2: run no code twice, wherever the process dies", async () => {
    const runs: number[] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const at = runs.push(0) - 1;
      const runner = runnerOf(["python"], () => {
        runs[at] = (runs[at] ?? 0) + 1;
        return { stdout: "42" };
      });
      const user = quiet("user", { codeExecution: {} });
      const writer = scripted("writer", ({ messages }) =>
        messages.length < 3 ? PRINT : "TERMINATE",
      );
      return {
        program: chatProgram([user, writer], { message: "Go", maxTurns: 2 }),
        services: { code: codeService({ python: runner }) },
      };
    });
    expect(whole.run.status).toBe("completed");
    for (const { run } of cut) expect(run.status).toBe("completed");
    expect(Math.max(...runs)).toBe(1);
  });
});
