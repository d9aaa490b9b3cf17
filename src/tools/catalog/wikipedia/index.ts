export { wikipediaPageLoad } from "./wikipedia-page-load.ts";
export { wikipediaQueryRun } from "./wikipedia-query-run.ts";
