import { braveInput, PAGED } from "./brave-input.ts";
import { braveTool, withDescriptions } from "./brave-tool.ts";

/** Videos found by Brave Search. */
export const braveVideoSearch = braveTool({
  className: "BraveVideoSearchTool",
  displayName: "Brave Video Search",
  description: "Finds videos with Brave Search: titles, addresses, descriptions.",
  path: "videos/search",
  maxCount: 50,
  input: () => braveInput("q", PAGED, { maxCount: 50 }),
  result: withDescriptions,
});
