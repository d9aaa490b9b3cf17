import { braveInput, PAGED } from "./brave-input.ts";
import { braveTool, shown } from "./brave-tool.ts";

/** Input of `web/search`. */
export const webInput = () =>
  braveInput(
    "q",
    [
      ...PAGED,
      "text_decorations",
      "extra_snippets",
      "result_filter",
      "goggles",
      "units",
      "summary",
      "enable_rich_callback",
    ],
    { maxCount: 20 },
  );

/** Web pages found by Brave Search. */
export const braveWebSearch = braveTool({
  className: "BraveWebSearchTool",
  displayName: "Brave Web Search",
  description: "Finds web pages with Brave Search: titles, addresses, passages.",
  path: "web/search",
  maxCount: 20,
  input: webInput,
  result: ({ web: { results = [] } = {} }) => {
    const data = results.map(({ url, title, description, extra_snippets: extra }) => ({
      url,
      title,
      snippets: extra?.length ? extra : description ? [description] : [],
    }));
    return { found: data.map((each) => shown(each, each.snippets)), data };
  },
});
