import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cut, escapeMarkup, textWidth, wrapName } from "../../../../src/flow/plot/text.ts";

const fit = { size: 13, font: "mono", width: 100 } as const;

it("leaves a fitting text as it is, and cuts a longer one with an ellipsis", () => {
  expect(cut("short", fit)).toBe("short");
  expect(cut("a\n  b\tc", fit)).toBe("a b c");
  expect(cut("abcdefghijklmnop", fit)).toBe("abcdefghijk…");
  expect(cut("名前が長すぎるメソッド", fit)).toBe("名前が長す…");
});

it("breaks names where a word begins", () => {
  expect(wrapName("collect_all_facts", fit, 2)).toEqual(["collect_all_", "facts"]);
  expect(wrapName("collectAllFacts", fit, 2)).toEqual(["collectAll", "Facts"]);
  expect(wrapName("abcdefghijklmnopqrstuvwxyz0123456789", fit, 2)).toEqual([
    "abcdefghijkl",
    "mnopqrstuvw…",
  ]);
});

it("never yields a line over the width, nor half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
      for (const line of [cut(text, fit), ...wrapName(text, fit, 2)]) {
        expect(textWidth(line, fit)).toBeLessThanOrEqual(fit.width);
        expect(line.isWellFormed()).toBe(true);
      }
    }),
  );
});

it("escapes markup, and replaces characters XML cannot write", () => {
  expect(escapeMarkup(`<a href="x" title='y'>&</a>`)).toBe(
    "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;",
  );
  expect(escapeMarkup("a\u0000b\ud800c\u{1f600}\ufffe")).toBe("a\ufffdb\ufffdc\u{1f600}\ufffd");
});
