export { perplexitySearch } from "./perplexity-search.ts";
