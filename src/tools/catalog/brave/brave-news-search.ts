import { braveInput, PAGED } from "./brave-input.ts";
import { braveTool, withDescriptions } from "./brave-tool.ts";

/** News found by Brave Search. */
export const braveNewsSearch = braveTool({
  className: "BraveNewsSearchTool",
  displayName: "Brave News Search",
  description: "Finds news with Brave Search: titles, addresses, descriptions.",
  path: "news/search",
  maxCount: 50,
  input: () => braveInput("q", [...PAGED, "extra_snippets", "goggles"], { maxCount: 50 }),
  result: withDescriptions,
});
