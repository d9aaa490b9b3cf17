import * as z from "zod";
import { httpTool } from "../base/catalog-tool.ts";
import { listAnswer } from "../base/results.ts";
import type { ToolIo } from "../base/tool-io.ts";
import { blocksResult, proxyLocation, serplyUrl, SERPLY_SEARCH } from "./serply-tool.ts";

/** Number of links followed concurrently. */
const AT_ONCE = 5;

/** News through Serply. */
export const serplyNewsSearch = httpTool({
  ...SERPLY_SEARCH,
  className: "SerplyNewsSearchTool",
  displayName: "News Search",
  description: "Finds news: titles, links, who has published them and when.",
  options: () =>
    z.object({ limit: z.int().min(1).max(100).default(10), proxyLocation: proxyLocation() }),
  request: ({ search_query: q }, { proxyLocation: location }) => ({
    url: serplyUrl("news", { q }),
    headers: { "X-Proxy-Location": location },
  }),
  answer: () =>
    listAnswer("entries", {
      title: z.string().optional(),
      link: z.string().optional(),
      published: z.string().nullish(),
      source: z.looseObject({ title: z.string().optional() }).nullish(),
    }),
  result: async (answer, { options: { limit }, io }) => {
    const entries = answer.entries.slice(0, limit);
    const links: (string | undefined)[] = [];
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      const some = entries.slice(at, at + AT_ONCE);
      links.push(...(await Promise.all(some.map(({ link }) => targetOf(link, io)))));
    }
    return blocksResult(
      entries.map(({ title, source, published }, index) => ({
        Title: title,
        Link: links[index],
        Source: source?.title,
        Published: published ?? undefined,
      })),
      { data: { ...answer, entries } as never, title: "Title" },
    );
  },
});

/** Returns the target of a link, or the link itself if its target is unknown. */
async function targetOf(link: string | undefined, io: ToolIo): Promise<string | undefined> {
  if (link === undefined) return undefined;
  const answer = await io.read(link, { method: "HEAD", timeoutMs: 5000 }).catch(() => undefined);
  io.context.signal.throwIfAborted();
  return answer?.url ?? link;
}
