import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checkNode } from "../../../src/base/check-node.ts";

const node = (version: string, others: Record<string, string> = {}) => ({
  process: { versions: { node: version, ...others } },
});

it.each(["20.20.0", "18.0.0", "22.11.9", "21.7.3"])(
  "refuses Node %s in one sentence",
  (version) => {
    expect(() => checkNode(node(version))).toThrow(
      `Edgecrew needs Node 22.12 or later; this is ${version}`,
    );
  },
);

it.each([
  ["Node 22.12", node("22.12.0")],
  ["Node 24", node("24.0.0")],
  ["Bun, which calls itself an older Node", node("20.0.0", { bun: "1.4.5" })],
  ["Deno, which calls itself an older Node", node("20.0.0", { deno: "2.9.6" })],
  ["Workers with nodejs_compat", { ...node("20.0.0"), WebSocketPair: Array }],
  ["browsers", {}],
])("accepts %s", (_, globals) => {
  expect(() => checkNode(globals)).not.toThrow();
});

it("does not read the process of a Worker, which would be created by the read", () => {
  const worker = {
    WebSocketPair: Array,
    get process(): never {
      throw new Error("looked at");
    },
  };
  expect(() => checkNode(worker)).not.toThrow();
});

it("names the same version as both packages, the README and the client's page", () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  for (const path of ["package.json", "create/package.json"])
    expect((JSON.parse(read(path)) as { engines: object }).engines).toEqual({ node: ">=22.12" });
  // Both commands begin with the check.
  expect(read("src/cli/edgecrew.ts")).toContain('await import("../base/check-node.ts")');
  expect(read("src/cli/create-edgecrew.ts")).toContain('await import("./edgecrew.ts")');
  expect(read("README.md")).toContain("Node 22.12 or later");
  expect(read("docs/client.md")).toContain("Node 22.12 or later");
});
