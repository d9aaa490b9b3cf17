export { qdrantVectorSearch } from "./qdrant-vector-search.ts";
