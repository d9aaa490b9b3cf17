import * as z from "zod";
import { windowOfLines } from "../base/results.ts";
import { BROWSER_HOSTS, BROWSER_VARIABLES } from "./browser.ts";
import { PAGE_OPTIONS } from "./page-options.ts";
import { pageResult, pageTool } from "./page-tool.ts";
import { fittingPassages } from "./passages.ts";
import { readPage } from "./read-page.ts";

const MAX_CHARS = 32_000;

/** Text of a page, or only its passages matching a question. */
export const webRead = pageTool({
  className: "web_read",
  displayName: "web_read",
  group: "web",
  service: "web",
  effectClass: "R",
  description:
    "Reads a web page or document. With a question it returns only the passages that fit it; without one, the text from line `start` on.",
  input: () =>
    z.object({
      url: z.string().min(1).max(4096).describe("Address of the page or document"),
      question: z.string().max(1000).optional().describe("What to find there"),
      start: z.int().min(1).optional().describe("First line, from 1"),
    }),
  options: () =>
    z.object({
      ...PAGE_OPTIONS,
      /** Reads a script-rendered page with a browser, if one is bound. */
      browser: z.enum(["auto", "never"]).default("auto"),
      mainOnly: z.boolean().default(true),
      links: z.boolean().default(false),
    }),
  env: BROWSER_VARIABLES,
  hosts: BROWSER_HOSTS,
  maxChars: MAX_CHARS + 200,
  run: async ({ url, question, start }, { browser, mainOnly, links, ...options }, io) => {
    const page = await readPage(io, url, { options, browser, mainOnly, links });
    const fitting = question === undefined ? [] : fittingPassages(page.text, question);
    if (fitting.length > 0) return pageResult([...titleOf(page), ...fitting].join("\n[…]\n"), page);
    const text = windowOfLines(page.text, {
      ...(start === undefined ? undefined : { startLine: start }),
      maxChars: MAX_CHARS,
      argument: "start",
    });
    const note = question === undefined ? "" : "No passage has words of the question.\n\n";
    return pageResult(`${note}${text === "" ? "The page shows no text." : text}`, page);
  },
});

function titleOf({ title }: { readonly title?: string }): readonly string[] {
  return title === undefined ? [] : [title];
}
