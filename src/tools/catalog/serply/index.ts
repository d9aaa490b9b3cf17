export { serplyJobSearch } from "./serply-job-search.ts";
export { serplyNewsSearch } from "./serply-news-search.ts";
export { serplyScholarSearch } from "./serply-scholar-search.ts";
export { serplyWebSearch } from "./serply-web-search.ts";
export { serplyWebpageToMarkdown } from "./serply-webpage-to-markdown.ts";
