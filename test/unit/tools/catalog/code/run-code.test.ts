import { describe, expect, it } from "vitest";
import { codeService } from "../../../../../src/code/make-code-service.ts";
import {
  codeInterpreter,
  runCode,
  sandboxCode,
  sandboxShell,
} from "../../../../../src/tools/catalog/code/run-code.ts";
import { toolCatalog } from "../../../../../src/tools/catalog/tool-catalog.ts";
import { requireNeeds } from "../../../../../src/tools/tool-needs.ts";
import type { Tool } from "../../../../../src/tools/tool.ts";
import { echoRunner } from "../../../../support/code-runners.ts";
import { callOf, type ToolCallWorld } from "../../../../support/tool-world.ts";

function call(
  made: Tool,
  input: object,
  runner: ReturnType<typeof echoRunner>,
): Promise<ToolCallWorld> {
  const [language = "python"] = runner.languages;
  const services = {
    code: codeService({ [language === "typescript" ? "javascript" : language]: runner }),
  };
  return callOf(made, input as never, { services });
}

describe("code tools of the catalogue", () => {
  it("are found by all of their names", () => {
    const catalog = toolCatalog();
    const nameOf = (name: string): unknown => {
      const made = catalog.make({ name, options: {}, fromData: false, asksNobody: false });
      return made !== undefined && "tool" in made ? (made.tool as Tool).safeName : made;
    };
    expect(["RunCodeTool", "run_code", "code_execution"].map(nameOf)).toEqual(
      Array(3).fill("run_code"),
    );
    expect(["SandboxCodeTool", "execute_code"].map(nameOf)).toEqual(Array(2).fill("sandbox_code"));
    expect(["CodeInterpreterTool", "crewai_tools:code_interpreter_tool"].map(nameOf)).toEqual(
      Array(2).fill("code_interpreter"),
    );
    expect(["SandboxShellTool", "shell_tool", "execute_command"].map(nameOf)).toEqual(
      Array(3).fill("shell_tool"),
    );
    for (const name of [
      "E2BExecTool",
      "E2BPythonTool",
      "E2BFileTool",
      "DaytonaExecTool",
      "DaytonaPythonTool",
      "DaytonaFileTool",
    ])
      expect(nameOf(name)).toBeTypeOf("string");
  });

  it("may be named in stored definitions when harmless, else with `allow`", () => {
    const catalog = toolCatalog();
    const fromData = (name: string): unknown =>
      catalog.make({ name, options: {}, fromData: true, asksNobody: false });
    expect(fromData("run_code")).toHaveProperty("tool");
    for (const name of ["SandboxCodeTool", "CodeInterpreterTool", "shell_tool", "E2BExecTool"])
      expect(fromData(name)).toHaveProperty("refused");
  });

  it("run JavaScript without an approval", async () => {
    const made = runCode({ timeoutMs: 5_000 });
    expect(made).toMatchObject({ effect: "pure", needsApproval: false });
    const runner = echoRunner("javascript", "typescript");
    const { text, data, extras } = await call(made, { code: "1", language: "typescript" }, runner);
    expect(text).toBe("1");
    expect(data).toMatchObject({ exitCode: 0 });
    expect(extras.untrusted).toEqual(["the code that was run"]);
    expect(runner.jobs[0]).toMatchObject({ language: "typescript", timeoutMs: 5_000 });
  });

  it("run Python and shell text in one session, once a person approves", async () => {
    const made = sandboxCode();
    expect(made).toMatchObject({ effect: "once", actsOutside: true });
    const runner = echoRunner("python");
    await call(made, { code: "x = 1" }, runner);
    expect(runner.jobs[0]).toMatchObject({
      language: "python",
      session: { id: expect.any(String) },
    });
    expect(sandboxCode({ needsApproval: false }).needsApproval).toBe(false);
  });

  it("install Python's libraries, and keep the line numbers", async () => {
    const runner = echoRunner("python");
    const input = {
      code: 'from __future__ import annotations\nfor n in "é\\\\😀":\n  print(n)',
      libraries_used: ["pandas", "a; rm -rf /", "numpy>=2"],
    };
    await call(codeInterpreter({ unsafeMode: true }), input, runner);
    const [job] = runner.jobs;
    const [install = "", run = "", ...more] = job?.code.split("\n") ?? [];
    expect(install).toMatch(
      /^__import__\("subprocess"\).*"pip", "install", "-qqq", "pandas", "numpy>=2"\]\)$/,
    );
    const [, written = ""] = /^exec\(compile\((".*"), "main.py", "exec"\)\)$/.exec(run) ?? [];
    expect(JSON.parse(written)).toBe(input.code);
    expect(more).toEqual([]);
    await call(codeInterpreter(), { code: "print(1)" }, runner);
    expect(runner.jobs[1]?.code).toBe("print(1)");
  });

  it("run the shell commands on their lists", async () => {
    const made = sandboxShell({ allowed: ["ls"] });
    expect(made.description).toContain("It may run ls alone.");
    const runner = echoRunner("bash");
    expect((await call(made, { command: "ls -la" }, runner)).text).toBe("ls -la");
    expect((await call(made, { command: "rm a" }, runner)).data).toMatchObject({ exitCode: 126 });
    expect(sandboxShell({ readOnly: true })).toMatchObject({ needsApproval: false });
  });

  it("are refused without a runner for their language (CX19)", () => {
    expect(() => requireNeeds([codeInterpreter()], { code: codeService({}) })).toThrow(
      "needs a runner for python: bind SANDBOX, or set E2B_API_KEY",
    );
  });
});
