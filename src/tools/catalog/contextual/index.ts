export { contextualCreateAgent } from "./contextual-create-agent.ts";
export { contextualParse } from "./contextual-parse.ts";
export { contextualQuery } from "./contextual-query.ts";
export { contextualRerank } from "./contextual-rerank.ts";
