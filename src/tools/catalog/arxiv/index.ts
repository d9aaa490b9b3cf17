export { arxivPaper } from "./arxiv-paper.ts";
