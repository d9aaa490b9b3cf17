// Text is split, folded and compared in src/text alone, so that each place treats each script.
import type { Node } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { lineOf, parseSource, readSource, sourceFiles, walk } from "../support/source-files.ts";

const ROOM = "src/text/";

/** Places outside of src/text that look at letters, with their number and the reason. */
const ALLOWED: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  "src/base/recorded.ts": [1, "pattern of a name: a field that JavaScript writes without quotes"],
  "src/base/template.ts": [1, "pattern of a name: a placeholder"],
  "src/cli/live-view.ts": [1, "width of a line in a terminal"],
  "src/cli/output.ts": [1, "width of a line in a terminal"],
  "src/cli/project-name.ts": [2, "name of a package, which has ASCII letters alone"],
  "src/conversation/capabilities/documents/document-tasks.ts": [1, "presence of a letter"],
  "src/conversation/picture/mermaid.ts": [1, "characters that Mermaid takes"],
  "src/crew/tasks/task-keys.ts": [1, "keys of steps in stored journals, which never change"],
  "src/files/workspace.ts": [1, "pattern of a name: a workspace"],
  "src/flow/conversational/conversation.ts": [1, "pattern of a name: a session"],
  "src/flow/plot/mermaid.ts": [1, "characters that Mermaid takes"],
  "src/flow/plot/text.ts": [2, "width of a text in a picture"],
  "src/http/run-kind-schemas.ts": [1, "names of components in the API description"],
  "src/knowledge/index-document.ts": [1, "presence of a letter"],
  "src/knowledge/readers/detect-encoding.ts": [1, "letters that speak for an encoding"],
  "src/knowledge/readers/pdf-items.ts": [5, "glyphs of a page, before they are text"],
  "src/knowledge/readers/pdf-letters.ts": [1, "glyphs of a page, before they are text"],
  "src/knowledge/readers/pdf-order.ts": [9, "glyphs of a page, before they are text"],
  "src/knowledge/readers/pdf-pages.ts": [5, "glyphs of a page, before they are text"],
  "src/llm/offline/compose-answer.ts": [2, "pattern of a label in a line; presence of a digit"],
  "src/llm/offline/facts.ts": [1, "pattern of a label in a line"],
  "src/llm/offline/fill-string.ts": [1, "pattern of a person's name below a mail"],
  "src/llm/offline/words.ts": [2, "pattern of a label in a line; presence of a letter"],
  "src/memory/memory-path.ts": [3, "pattern of a name: a segment of a path"],
  "src/memory/recall-search.ts": [1, "words of a question, as they stand in it"],
  "src/parts/schemas.ts": [1, "pattern of a name: a stored definition, a collection"],
  "src/protocols/exposure.ts": [1, "pattern of a name: a subject of a protocol"],
  "src/runtime/run-text.ts": [4, "first form of the stored words of runs (RTX3)"],
  "src/tools/catalog/documents/youtube-place.ts": [2, "pattern of a name: a channel"],
  "src/tools/catalog/tables/sql-names.ts": [3, "pattern of a name: a column in SQL"],
  "src/tools/custom-events.ts": [1, "pattern of a name: an event"],
  "src/vectors/hash-embedder.ts": [1, "presence of letters alone"],
  "src/wire/tool-name.ts": [1, "names of tools, which every provider takes as ASCII"],
};

const LETTERS = /\\p\{(?:L|N|M)[a-z]?\}|\\p\{(?:sc|Script)=/;

/** Files without these texts are not parsed. */
const MAY_LOOK = /\\p\{|Segmenter|normalize\(/;

/** Each look at letters, as `path:line`. */
function looksAt(path: string, source: string): readonly string[] {
  if (!MAY_LOOK.test(source)) return [];
  const found: string[] = [];
  walk(parseSource(path, source), (node) => {
    if (isLook(node)) found.push(`${path}:${lineOf(source, node)}`);
  });
  return found;
}

function isLook(node: Node): boolean {
  switch (node.type) {
    case "Literal":
      if ("regex" in node && node.regex) return LETTERS.test(node.regex.pattern);
      return typeof node.value === "string" && LETTERS.test(node.value);
    case "TemplateElement":
      return LETTERS.test(node.value.raw);
    case "MemberExpression":
      return (
        node.object.type === "Identifier" &&
        node.object.name === "Intl" &&
        node.property.type === "Identifier" &&
        node.property.name === "Segmenter"
      );
    case "CallExpression": {
      const [form] = node.arguments;
      return (
        node.callee.type === "MemberExpression" &&
        node.callee.property.type === "Identifier" &&
        node.callee.property.name === "normalize" &&
        form?.type === "Literal" &&
        String(form.value).startsWith("NFK")
      );
    }
    default:
      return false;
  }
}

describe("text", () => {
  const outside = sourceFiles("src", "durable-objects").filter((path) => !path.startsWith(ROOM));

  it("is split and folded in src/text alone", () => {
    const counts = Object.fromEntries(
      outside.flatMap((path) => {
        const { length } = looksAt(path, readSource(path));
        return length === 0 ? [] : [[path, length] as const];
      }),
    );
    expect(counts).toEqual(
      Object.fromEntries(Object.entries(ALLOWED).map(([path, [count]]) => [path, count])),
    );
  });

  it.each([
    [`text.match(/[\\p{L}\\p{N}]+/gu)`],
    [`text.split(/[^\\p{L}]+/u)`],
    [`new RegExp("(?<![\\\\p{L}\\\\p{N}_])" + name)`],
    ["new RegExp(`\\\\p{sc=Han}${name}`)"],
    [`text.normalize("NFKD")`],
    [`new Intl.Segmenter("ja")`],
  ])("finds %s", (source) => {
    expect(looksAt("src/memory/a.ts", source)).toEqual(["src/memory/a.ts:1"]);
  });

  it.each([[`text.normalize("NFC")`], [`/[a-z0-9]+/.test(text)`], [`"\\u00df"`]])(
    "leaves %s alone",
    (source) => {
      expect(looksAt("src/memory/a.ts", source)).toEqual([]);
    },
  );
});
