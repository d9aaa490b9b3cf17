export { tavilyExtractor } from "./tavily-extractor.ts";
export { tavilyGetResearch } from "./tavily-get-research.ts";
export { tavilyResearch } from "./tavily-research.ts";
export { tavilySearch } from "./tavily-search.ts";
