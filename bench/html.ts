// CPU that the text of a page takes. Run: node bench/html.ts
import { htmlText } from "../src/knowledge/readers/html-text.ts";
import { ReadingWork } from "../src/knowledge/readers/reading-work.ts";

const LENGTH = 5 * 1024 * 1024;
const ROUNDS = 5;

const paragraph = `<div class="row post-body" data-id="17"><p>Green tea is <a href="/made/from?tea=green&amp;year=2026">made from</a> leaves &mdash; steamed, <b>not</b> oxidised, within a day of the harvest; most of it comes from hills that see mist all year.</p><ul class='tags'><li>first<li>second</ul><img src="/a.png" alt="A cup"></div>\n`;
const table = `<tr><td style="text-align:right">1&nbsp;200</td><td>Assam</td><td><span class="x">black</span></td></tr>\n`;

/** Pages of 5 MB, and the most milliseconds of CPU that each may take. */
const PAGES: ReadonlyArray<readonly [name: string, unit: string, boundMs: number]> = [
  ["an article", paragraph, 250],
  ["a table", table, 250],
  ["text alone", "word and word ", 250],
  ["`<div>` alone", "<div>", 500],
  ["`</b>` alone", "<b></b>", 500],
  ["`<` alone", "<", 500],
  ["comments", "<!-- x -->", 500],
  ["character references", "&amp;&#x263A;", 1_000],
];

for (const [name, unit, boundMs] of PAGES) {
  const html = unit.repeat(Math.ceil(LENGTH / unit.length));
  const times: number[] = [];
  let length = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    const options = { maxCharacters: 50_000_000, isTight: true };
    ({ length } = (await htmlText(html, options, new ReadingWork("page"))).text);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  const ms = Math.min(...times);
  console.log(
    `${name}: ${(html.length / 1024 / 1024 / (ms / 1000)).toFixed(0)} MB/s, ${ms.toFixed(0)} ms (at most ${boundMs}), ${length} characters`,
  );
}
