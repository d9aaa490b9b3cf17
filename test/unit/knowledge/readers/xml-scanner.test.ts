// The scanner of spreadsheets' XML gives what the general parser gives.
import { expect, it } from "vitest";
import { readMarkup, type MarkupHandler } from "../../../../src/knowledge/readers/markup.ts";
import { ReadingWork } from "../../../../src/knowledge/readers/reading-work.ts";
import { scanXml } from "../../../../src/knowledge/readers/xml-scanner.ts";

type Call = readonly [string, string, unknown?];

function recorder(): MarkupHandler & { readonly calls: Call[] } {
  const calls: Call[] = [];
  const text = (piece: string): void => {
    const last = calls.at(-1);
    if (last?.[0] === "text") calls[calls.length - 1] = ["text", last[1] + piece];
    else calls.push(["text", piece]);
  };
  return {
    calls,
    open: (name, attributes) => void calls.push(["open", name, { ...attributes }]),
    close: (name) => void calls.push(["close", name]),
    text,
  };
}

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE x><!-- <c r="A0"> -->
<x:worksheet xmlns:x='u' a = "1 > 0 &amp; &lt;&#65;&#x42;"><x:row r="1" hidden='1'><c r="A1" t="str"><v>a &amp;&quot; b&apos;&gt;</v></c><c r="B1"/><c
 r="C1"
 s="2" ><v>1.5</v></c></x:row>
<t xml:space="preserve">  two
 lines <![CDATA[<not & a tag>]]> </t></x:worksheet>
`;

it("in pieces of every length", async () => {
  const expected = recorder();
  await readMarkup([XML], expected, new ReadingWork("XML"));
  for (const length of [1, 2, 3, 7, 50, 10_000]) {
    const found = recorder();
    const pieces = Array.from({ length: Math.ceil(XML.length / length) }, (_, index) =>
      XML.slice(index * length, (index + 1) * length),
    );
    for await (const _ of scanXml(pieces, found, new ReadingWork("XML")));
    expect(found.calls).toEqual(expected.calls);
  }
});

it("RW1: within limits", async () => {
  const read = async (xml: string) => {
    for await (const _ of scanXml([xml], recorder(), new ReadingWork("XML")));
  };
  await expect(read(`<a b="${"x".repeat(2_000_000)}`)).rejects.toThrow(/tag of more than 1000000/);
  await expect(read("<a>".repeat(1001))).rejects.toThrow(/nested more than 1000 deep/);
  await expect(read(`<a ${'b="" '.repeat(1001)}>`)).rejects.toThrow(/more than 1000 attributes/);
});

it("without the entities that a document defines", async () => {
  const found = recorder();
  const xml = '<!DOCTYPE x [<!ENTITY lol "lol">]><a>&lol;</a>';
  for await (const _ of scanXml([xml], found, new ReadingWork("XML")));
  expect(found.calls).toEqual([
    ["open", "a", {}],
    ["text", "&lol;"],
    ["close", "a"],
  ]);
});
