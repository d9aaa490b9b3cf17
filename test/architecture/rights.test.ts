import { expect, it } from "vitest";
import { readSource, sourceFiles } from "../support/source-files.ts";

/** Decides what scopes allow. Everything else asks it. */
const HOME = "src/parts/rights.ts";
/** Scopes of another kind: paths of memories, and scopes of other servers. */
const OTHER = /^src\/(?:memory\/memory-slice\.ts|(?:cli|client|protocols\/(?:a2a|mcp)\/client)\/)/;

it("RIG1: decides in one file what the scopes of a caller allow", async () => {
  const files = sourceFiles("src");
  expect(files).toContain(HOME);
  const deciding = files.filter((file) =>
    /\bscopes\??\.(?:includes|some|every|find)\(/.test(readSource(file)),
  );
  expect(deciding.filter((file) => !OTHER.test(file))).toEqual([HOME]);
});
