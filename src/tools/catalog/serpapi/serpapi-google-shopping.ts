import { listOf, serpApiTool, textOf } from "./serpapi-tool.ts";

/** Offers in Google Shopping, through SerpApi. */
export const serpApiGoogleShopping = serpApiTool({
  className: "SerpApiGoogleShoppingTool",
  displayName: "Google Shopping",
  description: "Finds goods in Google Shopping: names, prices, sellers, links.",
  engine: "google_shopping",
  leftOut: /^(search_metadata|search_parameters|serpapi_.+|filters|pagination)$/,
  found: (answer) =>
    listOf(answer, "shopping_results").map(({ title, link, product_link: own, price, source }) => ({
      title: textOf(title),
      url: textOf(link) ?? textOf(own),
      snippet: [textOf(price), textOf(source)].filter(Boolean).join(", "),
    })),
});
