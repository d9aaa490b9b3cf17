import * as z from "zod";
import { catalogTool } from "../base/catalog-tool.ts";
import { githubPlace, GITHUB_CONTENT, GITHUB_HOSTS, GITHUB_TOKEN } from "./github-place.ts";
import { checkKnowledge, searchDocuments } from "./search-documents.ts";
import { SEARCH_TIMEOUT_MS } from "./source-search.ts";
import { searchInput, searchOptions } from "./search-options.ts";

const contentTypes = () => z.array(z.enum(GITHUB_CONTENT)).min(1);

/** Searches a repository at GitHub: its README, its structure, its code, its open pull requests and issues. */
export const githubSearch = catalogTool({
  className: "GithubSearchTool",
  displayName: "Search a github repo's content",
  group: "documents",
  service: "GitHub",
  effectClass: "R",
  description:
    "Finds passages of a GitHub repository that answer a question: of its README, its structure, its open pull requests and issues.",
  input: () =>
    z.object({
      search_query: z.string().max(2048).describe("The question, in a few words"),
      github_repo: z.string().min(1).describe("owner/name"),
      content_types: contentTypes().describe("What to look in"),
      ...searchInput(),
    }),
  options: () =>
    z.object({
      ...searchOptions(),
      code: z.boolean().default(false).describe("Reads the text files of the repository, too"),
    }),
  fixable: ["github_repo", "content_types"],
  env: [GITHUB_TOKEN],
  hosts: GITHUB_HOSTS,
  codeOptions: ["knowledge"],
  check: checkKnowledge("GithubSearchTool"),
  callTimeoutMs: SEARCH_TIMEOUT_MS,
  run: (input, options, io) =>
    searchDocuments(io, {
      className: "GithubSearchTool",
      query: input.search_query,
      limit: input.limit,
      similarity: input.similarity_threshold,
      options,
      places: [
        githubPlace(io, input.github_repo, { content: input.content_types, code: options.code }),
      ],
    }),
});
