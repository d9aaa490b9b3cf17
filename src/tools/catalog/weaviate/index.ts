export { weaviateVectorSearch } from "./weaviate-vector-search.ts";
