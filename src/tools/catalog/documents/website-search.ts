import { siteSearch } from "./site-search.ts";

/** Searches a page, or the pages of a site. */
export const websiteSearch = siteSearch({
  className: "WebsiteSearchTool",
  displayName: "Search in a specific website",
  argument: "website",
  what: "a website",
});
