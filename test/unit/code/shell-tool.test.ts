import { describe, expect, it } from "vitest";
import { codeService } from "../../../src/code/make-code-service.ts";
import {
  commandRefusal,
  shellTool,
  type ShellToolOptions,
} from "../../../src/code/tools/shell-tool.ts";
import { requireNeeds } from "../../../src/tools/tool-needs.ts";
import { bytes, runnerOf } from "../../support/code-runners.ts";
import { callOf, type ToolCallWorld } from "../../support/tool-world.ts";

const bash = () =>
  runnerOf(["bash"], ({ code }) => ({
    stdout: `ran ${code}\n`,
    exitCode: code === "false" ? 1 : 0,
    files: code.includes("touch") ? [{ path: "a", bytes: bytes("") }] : [],
  }));

function call(
  command: string,
  options: ShellToolOptions = {},
  runner = bash(),
): Promise<ToolCallWorld> {
  const services = { code: codeService({ bash: runner }) };
  return callOf(shellTool({ needsApproval: false, ...options }), { command }, { services });
}

describe("a shell command", () => {
  it("is run, and returns its output", async () => {
    expect((await call("ls -la | wc -l")).text).toBe("ran ls -la | wc -l");
    expect((await call("false")).text).toBe("ran false\n[exit code: 1]");
    expect((await call("touch a")).text).toBe("ran touch a\nFiles: a (0 bytes)");
    expect((await call("rm -rf /")).text).toContain("[exit code: 126]");
  });

  it("shares its working directory with those of the run by default", async () => {
    const runner = bash();
    await call("ls", {}, runner);
    await call("ls", { session: "call" }, runner);
    expect(runner.jobs.map(({ session }) => session === undefined)).toEqual([false, true]);
  });

  it("asks a person first, unless it only reads", () => {
    expect(shellTool()).toMatchObject({ needsApproval: true, effect: "once", actsOutside: true });
    expect(shellTool({ readOnly: true })).toMatchObject({
      needsApproval: false,
      effect: "idempotent",
    });
    expect(() => requireNeeds([shellTool()], { code: codeService({}) })).toThrow(
      "shell_tool needs a runner for bash",
    );
  });

  it("SHT1: is not run when its program is not on the list", async () => {
    const runner = bash();
    const { text, data } = await call("rm a", { allowed: ["ls", "cat"] }, runner);
    expect(text).toBe(
      "refused: rm is not among the programs that may be run: ls, cat\n[exit code: 126]",
    );
    expect(data).toMatchObject({ exitCode: 126 });
    expect(runner.jobs).toEqual([]);
    expect((await call("/bin/cat a.txt", { allowed: ["ls", "cat"] }, runner)).text).toBe(
      "ran /bin/cat a.txt",
    );
  });

  it.each([
    "ls | rm a",
    "ls; rm a",
    "ls && rm a",
    "ls & rm a",
    "ls > a",
    "cat < a",
    "ls $(rm a)",
    "ls `rm a`",
    "ls\nrm a",
    "l\\s",
    "ls ${x}",
    "ls $'x'",
  ])("SHT1: with a list is one program: %j", (command) => {
    expect(commandRefusal(command, { allowed: ["ls", "cat"], blocked: [] })).toContain(
      "one program with its arguments",
    );
  });

  it.each([
    ["rm a", "rm may not be run"],
    ["sudo rm a", "rm may not be run"],
    ["'r'm a", "rm may not be run"],
    ["env X=1 /usr/bin/rm a", "rm may not be run"],
    ["$X a", "the program has no name"],
    ["X=1 ls", "the program has no name"],
    ["ls a", undefined],
  ])("SHT1: %j with rm blocked", (command, refusal) => {
    expect(commandRefusal(command, { allowed: undefined, blocked: ["rm"] })).toBe(refusal);
  });

  it("SHT1: only reads with readOnly", async () => {
    const runner = bash();
    expect((await call("cat a.txt", { readOnly: true }, runner)).text).toBe("ran cat a.txt");
    for (const command of ["rm a", "tee a", "find . -delete", "bash a.sh", "sort -o a b"])
      expect((await call(command, { readOnly: true }, runner)).data).toMatchObject({
        exitCode: 126,
      });
    expect(runner.jobs).toHaveLength(1);
    expect(shellTool({ readOnly: true, allowed: ["cat", "rm"] }).description).toContain(
      "It may run cat alone.",
    );
  });

  it.each<[ShellToolOptions, string]>([
    [{ allowed: [] }, "allowed must be a list of names"],
    [{ blocked: ["rm -rf"] }, "blocked must be a list of names"],
    [{ timeoutMs: 1 }, "timeoutMs must be"],
  ])("is refused with invalid options: %j", (options, message) => {
    expect(() => shellTool(options)).toThrow(message);
  });
});
