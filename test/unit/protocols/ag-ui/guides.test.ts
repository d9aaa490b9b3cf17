// The guides have the examples that the world tier runs in Chromium.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../../../", import.meta.url);

it.each(["copilotkit/server.ts", "copilotkit/app.tsx", "assistant-ui/app.tsx"])(
  "docs/ag-ui-guides.md has the whole of %s",
  (file) => {
    const guides = readFileSync(new URL("docs/ag-ui-guides.md", root), "utf8");
    const example = readFileSync(new URL(`examples/frontends/${file}`, root), "utf8");
    expect(guides).toContain(example.trim());
  },
);
