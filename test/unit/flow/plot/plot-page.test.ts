import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { defineFlow, Flow, listen, start } from "../../../../src/flow/index.ts";
import { lockedPage, pageOf } from "../../../../src/flow/plot/plot-page.ts";
import { noProgress } from "../../../../src/flow/plot/run-progress.ts";
import { parseXml } from "../../../support/xml.ts";

const HOSTILE = `</script><script>alert(1)</script>'"<!--`;

const flow = defineFlow({
  name: "triage",
  description: HOSTILE,
  methods: {
    read: { start: true, description: HOSTILE, run: () => 1 },
    sort: { listen: "read", router: true, run: () => "x" },
    page: { listen: HOSTILE, humanFeedback: { message: HOSTILE }, run: () => 1 },
  },
});

function sources(html: string, tag: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(
    ([, text = ""]) => text,
  );
}

describe.each([
  ["of a flow", () => pageOf(flow.definition)],
  [
    "of a run",
    () => {
      const progress = noProgress(flow.definition);
      const usage = {} as never;
      const run = {
        id: "r",
        kind: "flow",
        name: "triage",
        status: "running",
        inputs: {},
        usage,
        waits: [],
        createdAt: "2026-01-01T00:00:00Z",
      } as const;
      return pageOf(flow.definition, { run, progress, nowMs: 0 });
    },
  ],
  ["with a form for a key", () => lockedPage()],
])("the page %s", (_, make) => {
  it("lets only the scripts and styles in its policy run or load", async () => {
    const { html, policy } = await make();
    const hash = (text: string): string =>
      `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const [script, ...otherScripts] = sources(html, "script");
    const [style, ...otherStyles] = sources(html, "style");
    expect([otherScripts, otherStyles]).toEqual([[], []]);
    expect(policy).toBe(
      `default-src 'none'; script-src ${hash(script ?? "")}; style-src ${hash(style ?? "")}; connect-src 'self'; base-uri 'none'; form-action 'none'`,
    );
    expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
    expect(html).not.toMatch(/<link|<img|<iframe|\ssrc=|\shref=|@import|url\(|\sstyle=/);
    expect(html.match(/<script/g)).toHaveLength(html.includes('id="data"') ? 2 : 1);
    expect(html.replace(script ?? "", "")).not.toMatch(/\son\w+=/);
  });

  it("has a script with valid syntax", async () => {
    const [script = ""] = sources((await make()).html, "script");
    // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- it is read and not run
    expect(() => new Function(script)).not.toThrow();
  });
});

it("has the methods as a list, a legend of the kinds in use, and the remarks", async () => {
  const { html } = await pageOf(flow.definition);
  expect(html).toContain("<title>triage</title>");
  expect(html).toContain("3 methods · 1 edge · 1 execution path");
  const [table = ""] = /<table>.*<\/table>/s.exec(html) ?? [];
  expect(parseXml(table).children).toHaveLength(2);
  expect(table).toContain("<td><code>sort</code></td><td>router</td><td>read</td>");
  expect(html).toContain("asks a person</span>");
  expect(html).not.toContain(">AND<");
  expect(html).toContain("<summary>2 remarks</summary>");
});

it("a page asking for a key names no flow", async () => {
  const { html } = await lockedPage();
  expect(html).not.toContain("triage");
  expect(html).toContain('type="password"');
});

describe("flow.plot()", () => {
  it("gives a page, an SVG, Mermaid's text, or the structure", async () => {
    expect(await flow.plot()).toBe((await pageOf(flow.definition)).html);
    expect(await flow.plot({ format: "svg" })).toMatch(/^<svg /);
    expect(await flow.plot({ format: "mermaid" })).toMatch(/^flowchart TD\n/);
    expect(JSON.parse(await flow.plot({ format: "json" }))).toMatchObject({
      name: "triage",
      startMethods: ["read"],
      executionPaths: 1,
    });
  });

  it("draws objects of flow classes, too", async () => {
    class Greet extends Flow() {
      @start()
      hello() {
        return 1;
      }

      @listen("hello")
      bye() {
        return 2;
      }
    }
    expect(JSON.parse(await new Greet().plot({ format: "json" }))).toMatchObject({
      name: "Greet",
      edges: [{ source: "hello", target: "bye" }],
    });
  });
});
