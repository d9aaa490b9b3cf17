import { braveTool, shown } from "./brave-tool.ts";
import { webInput } from "./brave-web-search.ts";

/** Web pages found by Brave Search, in the older form. */
export const braveSearch = braveTool({
  className: "BraveSearchTool",
  displayName: "Brave Search",
  description: "Finds web pages with Brave Search: titles, addresses, descriptions.",
  path: "web/search",
  maxCount: 20,
  query: { result_filter: "web" },
  input: webInput,
  result: ({ web: { results = [] } = {} }) => ({
    found: results.map((each) => shown(each)),
    data: results.map(({ url, title, description, extra_snippets: snippets }) => ({
      url,
      title,
      ...(description ? { description } : undefined),
      ...(snippets?.length ? { snippets } : undefined),
    })),
  }),
});
