import { expect, it, vi } from "vitest";
import { decorators } from "../../../src/vite.ts";

vi.mock("esbuild", () => {
  throw new Error("Cannot find package 'esbuild'");
});

const DECORATED = "class Desk {\n  @agent clerk() {}\n}\n";

it("says what to install where esbuild is missing, once a file has decorators", async () => {
  const plugin = decorators();
  expect(await plugin.transform("export const plain = 1;", "/desk/src/plain.ts")).toBeUndefined();
  await expect(plugin.transform(DECORATED, "/desk/src/desk.ts")).rejects.toThrow(
    "npm install --save-dev esbuild",
  );
});
