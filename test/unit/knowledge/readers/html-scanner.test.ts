import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { attributeIn, HtmlScanner } from "../../../../src/knowledge/readers/html-scanner.ts";
import { computedMs } from "../../../support/computed-ms.ts";

/** What the scanner says of a page, in one line. */
function scanned(html: string, piece = Infinity): string {
  const said: string[] = [];
  const scanner = new HtmlScanner(html, {
    open: (name, source) => said.push(source === "" ? `<${name}>` : `<${name} ${source}>`),
    close: (name) => said.push(`</${name}>`),
    text: (source) => said.push(source),
  });
  while (scanner.advance(piece));
  return said.join("");
}

describe("HSC1: elements", () => {
  it.each([
    ["items", "<ul><li>1<li>2</ul>", "<ul><li>1</li><li>2</li></ul>"],
    [
      "lists in items",
      "<ul><li>1<ul><li>a</ul><li>2</ul>",
      "<ul><li>1<ul><li>a</li></ul></li><li>2</li></ul>",
    ],
    ["items with open marks", "<ul><li><b>1<li>2</ul>", "<ul><li><b>1</b></li><li>2</li></ul>"],
    ["paragraphs", "<p>a<p>b<div>c</div>", "<p>a</p><p>b</p><div>c</div>"],
    ["a paragraph with an open mark", "<p><i>a<p>b", "<p><i>a</i></p><p>b</p>"],
    [
      "cells and rows",
      "<table><tr><td>a<td>b<tr><th>c</table>",
      "<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>",
    ],
    [
      "a table in a cell",
      "<table><tr><td><table><tr><td>x</table>y<td>z</table>",
      "<table><tr><td><table><tr><td>x</td></tr></table>y</td><td>z</td></tr></table>",
    ],
    ["terms", "<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"],
    [
      "options",
      "<select><option>a<option>b</select>",
      "<select><option>a</option><option>b</option></select>",
    ],
    ["the head", "<head><title>t</title><p>x", "<head><title>t</title></head><p>x</p>"],
    ["a head before text alone", "<head><meta a>x", "<head><meta a></meta></head>x"],
  ])("HSC1: ends %s left open", (_, html, events) => {
    expect(scanned(html)).toBe(events);
  });

  it.each([
    ["an end without a beginning", "a</b></p>b", "ab"],
    ["the end of a mark in a block within", "<b><div>a</b>b</div>", "<b><div>ab</div></b>"],
    ["void elements", "a<br/>b<img src=x>c</br>", "a<br></br>b<img src=x></img>c<br></br>"],
    ["a slash without an end", "<div/>a", "<div>a</div>"],
    ["names in capitals", "<DIV>a</Div>", "<div>a</div>"],
    ["a space in an end tag", "<p>a</p >b", "<p>a</p>b"],
    ["text like a tag", "a < b <3 <> </> </3>c", "a < b <3 <>  c"],
    ["a declaration", "<!DOCTYPE html><?php x ?>a", "a"],
    ["comments", "a<!-- <b> -->b<!--->c<!-->d<!-- --!>e", "abcde"],
    ["an endless comment", "a<!-- b", "a"],
    ["an endless tag", "a<b c=", "a"],
    ["an endless value", 'a<b c="x>y', "a"],
    [">` in values", `<a b=">" c='>'>x`, `<a b=">" c='>'>x</a>`],
    ["a quote in a name", `<a b"c>x`, `<a b"c>x</a>`],
    ["scripts", "<script>a<b>'</x>'</SCRIPT >c", "<script>a<b>'</x>'</script>c"],
    ["an endless script", "a<script>b</b>c", "a<script>b</b>c</script>"],
    ["a title", "<title>a <b></title>", "<title>a <b></title>"],
    [
      "drawings",
      "<svg><path/><style>a</style></svg>b",
      "<svg><path></path><style>a</style></svg>b",
    ],
    ["an endless drawing", "<svg><g><p>a", "<svg><g></g></svg><p>a</p>"],
    [
      "HTML in a drawing",
      "<svg><foreignObject><p>a</svg>b",
      "<svg><foreignobject><p>a</p></foreignobject></svg>b",
    ],
  ])("reads %s", (_, html, events) => {
    expect(scanned(html)).toBe(events);
  });

  it("closes every opened element in order, for any page and any pieces", () => {
    const bits =
      "< > / ! - -- = \" ' b p li ul td tr table svg title script head a= hidden x".split(" ");
    const page = fc.array(
      fc.constantFrom(...bits, " ", "<p>", "<li>", "</b>", "<b ", "<svg>", "<td>", "</"),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(page, fc.integer({ min: 1, max: 20 }), (parts, piece) => {
        const html = parts.join("");
        const open: string[] = [];
        const scanner = new HtmlScanner(html, {
          open: (name) => open.push(name),
          close: (name) => expect(open.pop()).toBe(name),
          text: () => undefined,
        });
        while (scanner.advance(piece));
        expect(open).toEqual([]);
        expect(scanned(html, piece)).toBe(scanned(html));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("HSC2: pages made to be slow", () => {
  const SIZE = 2_000_000;
  const times = (text: string): string => text.repeat(SIZE / text.length);

  it.each([
    ["elements in one another", times("<div>")],
    [
      "ends of distant open elements",
      `<i>${times("<b>").slice(0, SIZE / 2)}${times("</i>").slice(0, SIZE / 2)}`,
    ],
    [
      "ends of open elements below a block",
      `<b><div>${times("<i>").slice(0, 300_000)}${times("</b>")}`,
    ],
    ["items below many marks", `<li><ul>${times("<b>").slice(0, 300_000)}${times("<li></li>")}`],
    [
      "paragraphs below many marks",
      `<p>${times("<b>").slice(0, 300_000)}${times("<button><div></div>")}`,
    ],
    ["endless comments", times("<!--")],
    ["endless tags", times("<a ")],
    ["endless scripts", times("<script>")],
    ["quotes", times(`<a b="'>`)],
    [
      "names, each another one",
      Array.from({ length: 200_000 }, (_, index) => `<a${index}>`).join(""),
    ],
    ["one name", `<${"a".repeat(SIZE)}>`],
    ["spaces in tags", `<a ${" ".repeat(SIZE)}>`],
    ["svg in svg", times("<svg><p>")],
  ])("HSC2: %s take linear time", (_, html) => {
    const began = computedMs();
    scanned(html);
    expect(computedMs() - began).toBeLessThan(5_000); // a fraction of it; hours, where it is not in proportion
  });
});

describe("attributeIn", () => {
  it.each([
    [`class=a hidden`, "hidden", ""],
    [`HIDDEN=""`, "hidden", ""],
    [`a='x "y"' b = "z"`, "b", "z"],
    [`a='x "y"' b = "z"`, "a", 'x "y"'],
    [`a=x/y/ b`, "a", "x/y/"],
    [`data-hidden="b" title="hidden"`, "hidden", undefined],
    [`a=1 a=2`, "a", "1"],
    [`a="hidden=1"`, "hidden", undefined],
  ])("in %s, %s is %j", (source, name, value) => {
    expect(attributeIn(source, name)).toBe(value);
  });
});
