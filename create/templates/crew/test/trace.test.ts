import { readFileSync } from "node:fs";
import { replayRun, type ExportedRun } from "edgecrew/testing";
import { expect, it } from "vitest";
import { definitions } from "../.edgecrew/definitions.ts";
import { wordCount } from "../src/tools/word-count.ts";

const { crews } = definitions({ tools: [wordCount] });

// Saved by `npx edgecrew trace download <run> --redact -o test/traces/sample.json`: the steps of a run, without its texts.
it("does the steps of a saved run: open runs go on after a deployment", async () => {
  const trace = JSON.parse(readFileSync("test/traces/sample.json", "utf8")) as ExportedRun;
  expect(await replayRun(trace, crews.research)).toMatchObject({ fits: true });
});
