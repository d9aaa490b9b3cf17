// The commands of docs/cli-stores.md, one after another against one Worker.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { COMMANDS } from "../../../src/cli/command-table.ts";
import { STORE_COMMANDS } from "../../../src/cli/store-commands.ts";
import type { Script } from "../../../src/llm/scripted/scripted-model.ts";
import { Terminal } from "../../support/cli-world.ts";
import { blocksOf } from "../../support/doc-commands.ts";
import { storesWorker } from "../../support/stores-worker.ts";

const PAGE = "docs/cli-stores.md";

/** Scores every answer with 8; else answers. */
const script: Script = ({ responseSchema }) =>
  responseSchema === undefined ? "Fine" : '{"quality": 8}';

it("runs each command of the page as described (CL1)", async () => {
  const world = new Terminal({ worker: storesWorker({ script }), variables: {} });
  mkdirSync(`${world.folder}/policies`);
  writeFileSync(`${world.folder}/policies/travel.md`, "Trains come before planes.");
  writeFileSync(`${world.folder}/warranty.md`, "The warranty lasts two years.");
  writeFileSync(`${world.folder}/secret.txt`, "a secret of sixteen and more");
  writeFileSync(`${world.folder}/issue.json`, '{"issue":{"title":"tea"}}');
  const lines = blocksOf(PAGE, "sh").flatMap((block) => block.trim().split("\n"));
  const codes: (readonly [string, number, string])[] = [];
  for (const line of lines) {
    const { code, out, err } = await world.run(line.replace(/^edgecrew /, ""));
    codes.push([line, code, code === 0 && out !== "" ? "" : err]);
  }
  const silent = codes.filter(([, code, said]) => code !== 0 || said !== "");
  expect(silent).toEqual([]);
  expect(lines.length).toBeGreaterThan(20);
});

it("has every command of its kind (CL1)", () => {
  const page = readFileSync(PAGE, "utf8");
  const missing = STORE_COMMANDS.filter(({ name }) => {
    const [first = "", second = ""] = name.split(" ");
    return !page.includes(name) && !(page.includes(first) && page.includes(`\`${second}\``));
  });
  expect(missing.map(({ name }) => name)).toEqual([]);
});

it("each command accepts the example in its help (CL1)", async () => {
  const down = new Terminal({ fetch: () => Promise.reject(new Error("down")) });
  for (const { load } of COMMANDS) {
    const { example } = await load();
    const { err } = await down.run(example.replace(/^edgecrew /, "").replace(/ < .*$/, ""));
    expect([example, err]).toEqual([
      example,
      expect.not.stringMatching(/unknown|missing required|too many arguments|expected one of/),
    ]);
  }
});
