export { semanticScholarSearch } from "./semantic-scholar-search.ts";
