import { expect, it } from "vitest";
import { markupText } from "../../../../../src/tools/catalog/base/markup-text.ts";
import { computedMs } from "../../../../support/computed-ms.ts";

it.each([
  ["All of <strong>tea</strong>.", "All of tea."],
  ["a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;&nbsp;f", "a & b <c> \"d\" 'e' f"],
  ["&#x27;it&#39;s&#X2019;", "'it's’"],
  ["&#0; &#x110000; &hellip; 1 < 2", "\ufffd \ufffd &hellip; 1 < 2"],
  ["&amp;lt;b&amp;gt;", "&lt;b&gt;"],
])("reads %s", (markup, text) => {
  expect(markupText(markup)).toBe(text);
});

it("reads long texts of many signs fast", () => {
  const startedAt = computedMs();
  markupText("<".repeat(500_000));
  markupText("&#".repeat(500_000));
  expect(computedMs() - startedAt).toBeLessThan(500);
});
