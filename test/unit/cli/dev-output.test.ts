import { expect, it } from "vitest";
import { DevOutput } from "../../../src/cli/dev-output.ts";

const SAID = [
  " ⛅️ wrangler 4.155.0",
  "Your Worker has access to the following bindings:",
  "[custom build] Running: edgecrew build",
  "⎔ Starting local server...",
  "[wrangler:info] Ready on http://localhost:8787",
  "[wrangler:info] GET /crews 200 OK (3ms)",
  "a line that the Worker logs",
  "⎔ Reloading local server...",
  "✘ [ERROR] The build failed",
  "  src/worker.ts:3:1",
  "⎔ Local server updated and ready",
  "",
].join("\n");

function shown(verbose: boolean, pieces: readonly string[]) {
  const lines: string[] = [];
  let ready = 0;
  const output = new DevOutput({
    verbose,
    show: (line) => void lines.push(line),
    onReady: () => void ready++,
  });
  for (const piece of pieces) output.add(piece);
  return { lines, ready };
}

it("DVO1: shows faults and the Worker's log, for any split of the text", () => {
  const expected = {
    lines: ["a line that the Worker logs", "✘ [ERROR] The build failed", "  src/worker.ts:3:1"],
    ready: 2,
  };
  expect(shown(false, [SAID])).toEqual(expected);
  expect(shown(false, Array.from(SAID))).toEqual(expected);
});

it("DVO1: leaves out handled messages: the cron's warning, and wrangler's trace of a build with a reported fault", () => {
  const said = [
    "▲ [WARNING] Scheduled Workers are not automatically triggered during local development.",
    "",
    "  To manually trigger a scheduled event, run:",
    "[wrangler:info] Ready on http://localhost:8787",
    "[custom build] ✗ crews/desk/tasks.yaml:2:1: deficient indentation",
    "✘ [ERROR] k [Error]: Process exited with non-zero status (1)",
    "      at x",
    "✘ [ERROR] Running custom build `edgecrew build` failed.",
    "",
  ];
  expect(shown(false, [said.join("\n")]).lines).toEqual([
    "[custom build] ✗ crews/desk/tasks.yaml:2:1: deficient indentation",
  ]);
});

it("DVO1: leaves out the table of bindings, with its values, and messages of a successful build", () => {
  const said = [
    "[wrangler:info] Ready on http://localhost:8787",
    "[custom build] .edgecrew/definitions.ts is up to date",
    "[custom build]   crews: desk",
    "Binding                        Resource                   Mode",
    "env.CREW_RUN (CrewRun)         Durable Object             local",
    'env.EDGECREW_SECRETS_KEY ("bG9j...")   Environment Variable   local',
    "env.VERSION                    Worker Version Metadata    local",
    "env.ly speaking, a line of the Worker",
    "",
  ];
  expect(shown(false, [said.join("\n")]).lines).toEqual(["env.ly speaking, a line of the Worker"]);
});

it("DVO1: shows all of it with --verbose", () => {
  expect(shown(true, [SAID]).lines).toHaveLength(SAID.split("\n").length - 1);
});
