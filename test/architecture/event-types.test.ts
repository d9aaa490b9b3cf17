import { expect, it } from "vitest";
import { eventTypesOf } from "../../src/parts/event-types.ts";
import { appParts } from "../support/app-parts.ts";
import { parseSource, readSource, sourceFiles, walk } from "../support/source-files.ts";

/** Where the core declares its events, and where features declare theirs. */
const CORE = ["src/events/run-event.ts", "src/events/model-events.ts"];
const FEATURES = sourceFiles("src").filter((path) => path.endsWith("/events.ts"));

const declared = [...CORE, ...FEATURES].flatMap(eventTypes);

it("describes every event type in docs/reference-events.md", () => {
  const page = readSource("docs/reference-events.md");
  expect(declared.length).toBeGreaterThan(100);
  expect(declared.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
});

it("has every event type brought by a part of an app, and declared once", () => {
  expect([...eventTypesOf(appParts)].toSorted()).toEqual(declared.toSorted());
});

it("brings the events of every feature into a user's program", () => {
  const source = readSource("src/feature-events.ts");
  expect(FEATURES.length).toBeGreaterThan(5);
  for (const path of FEATURES) expect(source).toContain(`"./${path.slice("src/".length)}"`);
});

/** The keys of the interfaces in a file whose names end in `Events`. */
function eventTypes(path: string): string[] {
  const types: string[] = [];
  walk(parseSource(path), (node, ancestors) => {
    if (node.type !== "TSPropertySignature" || node.key.type !== "Identifier") return;
    const [owner, body] = ancestors.slice(-2);
    if (owner?.type !== "TSInterfaceDeclaration" || body?.type !== "TSInterfaceBody") return;
    if (owner.id.name.endsWith("Events")) types.push(node.key.name);
  });
  return types;
}
