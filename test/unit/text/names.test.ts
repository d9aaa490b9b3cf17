import { expect, it } from "vitest";
import { sharedWorkspace } from "../../../src/files/workspace.ts";
import { NAME_PATTERN } from "../../../src/parts/schemas.ts";

it.each(["कीमत", "สินค้า", "가격 표", "Straße", "价格", "மதிப்பு"])(
  "%s is a name of a definition and of a workspace",
  (name) => {
    expect(NAME_PATTERN.test(name)).toBe(true);
    expect(sharedWorkspace(name)).toBe(`workspaces/${name}`);
  },
);

it.each(["\u0301a", " a", "a/b", "a\u0000", ""])("%j is none", (name) => {
  expect(NAME_PATTERN.test(name)).toBe(false);
});
