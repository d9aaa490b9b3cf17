// `npm run demo:kill`, as the README has it.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("shows a run continuing by itself after its process was killed in the middle of a model call", () => {
  const script = fileURLToPath(new URL("../../scripts/kill-demo.ts", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toContain("The run is completed. Finished steps that were done again: 0.");
  expect(stdout).toMatch(/ {2}task:sort\/turn:1\/llm +before the kill$/m);
  expect(stdout).toMatch(/\/llm +begun before, ended after the kill, called 2 times$/m);
  expect(stdout).toMatch(/ {2}task:write\/turn:1\/llm +after the kill$/m);
  expect(stdout).toContain("# Release notes of Harbour 2.4.0");
  expect(status).toBe(0);
});
