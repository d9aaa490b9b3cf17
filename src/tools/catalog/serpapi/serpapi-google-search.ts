import { isJsonObject } from "../../../base/json.ts";
import { listOf, serpApiTool, textOf } from "./serpapi-tool.ts";

/** Google results through SerpApi. */
export const serpApiGoogleSearch = serpApiTool({
  className: "SerpApiGoogleSearchTool",
  displayName: "Google Search",
  description: "Finds web pages through Google: titles, links, snippets.",
  engine: "google",
  leftOut: /^(search_metadata|search_parameters|serpapi_.+|.+_token|displayed_link|pagination)$/,
  before: ({ answer_box: box }) => [
    isJsonObject(box) ? (textOf(box["answer"]) ?? textOf(box["snippet"])) : undefined,
  ],
  found: (answer) =>
    listOf(answer, "organic_results").map(({ title, link, snippet, date }) => ({
      title: textOf(title),
      url: textOf(link),
      snippet: textOf(snippet),
      date: textOf(date),
    })),
});
