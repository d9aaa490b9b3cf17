import { describe, expect, it } from "vitest";
import { gzipSync } from "fflate";
import { githubSearch } from "../../../../../src/tools/catalog/documents/github-search.ts";
import { tar } from "../../../../../src/tools/catalog/files/tar.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import {
  documentSubject,
  documentWorld,
  workspaceWith,
} from "../../../../support/document-world.ts";
import { knowledgeService } from "../../../../support/knowledge-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";
import type { SeenRequest, ToolCallOptions } from "../../../../support/tool-world.ts";

// After the examples in GitHub's documentation of its REST API, version 2022-11-28.
const REPOSITORY = {
  id: 1296269,
  name: "Hello-World",
  full_name: "octocat/Hello-World",
  private: false,
  html_url: "https://github.com/octocat/Hello-World",
  description: "This your first repo!",
  fork: false,
  language: "TypeScript",
  forks_count: 9,
  stargazers_count: 80,
  default_branch: "main",
};
const README = "# Hello\n\n## Install\n\nRun the installer with root rights.\n";
const TREE = {
  sha: "9fb037999f264ba9a7fc6274d15fa3ae2ab98312",
  truncated: false,
  tree: [
    { path: "src", mode: "040000", type: "tree" },
    { path: "src/greeting.ts", mode: "100644", type: "blob", size: 30 },
  ],
};
const PULLS = [
  {
    number: 1347,
    title: "Amazing new feature",
    body: `Please pull these awesome changes in! ${"x".repeat(300)}`,
    state: "open",
  },
];
const ISSUES = [
  { number: 1347, title: "Amazing new feature", body: "a", pull_request: { url: "u" } },
  { number: 1348, title: "Found a bug", body: "I'm having a problem\nwith this." },
];
const PACKED = gzipSync(
  tar(
    [
      ["Hello-World-1/src/greeting.ts", "export const greeting = 'Servus, Kolleginnen';\n"],
      ["Hello-World-1/.github/ci.yml", "greeting: hidden"],
      ["Hello-World-1/node_modules/a/index.js", "greeting of others"],
      ["Hello-World-1/logo.png", "\u0000\u0001greeting"],
      ["Hello-World-1/big.txt", "greeting ".repeat(12_000)],
    ].map(([path = "", text = ""]) => ({ path, content: new TextEncoder().encode(text) })),
    0,
  ),
);

function github({ path }: SeenRequest): Response {
  const root = "/repos/octocat/Hello-World";
  switch (path) {
    case root:
      return Response.json(REPOSITORY);
    case `${root}/readme`:
      return new Response(README);
    case `${root}/git/trees/main?recursive=1`:
      return Response.json(TREE);
    case `${root}/pulls?state=open&per_page=5`:
      return Response.json(PULLS);
    case `${root}/issues?state=open&per_page=10`:
      return Response.json(ISSUES);
    case `${root}/tarball/main`:
      return new Response(null, {
        status: 302,
        headers: {
          location: "https://codeload.github.com/octocat/Hello-World/legacy.tar.gz/main?token=once",
        },
      });
    case "/octocat/Hello-World/legacy.tar.gz/main?token=once":
      return new Response(PACKED);
    default:
      return Response.json({ message: "Not Found" }, { status: 404 });
  }
}

const input = (search_query: string, ...content_types: string[]) => ({
  search_query,
  github_repo: "octocat/Hello-World",
  content_types,
});
/** Knowledge of its own for each call. */
const services: ToolCallOptions["services"] = {
  get knowledge() {
    return knowledgeService();
  },
};

toolContract(githubSearch, {
  input: input("What does the installer need?", "repo"),
  success: [Response.json(REPOSITORY), new Response(README)],
  requests: [
    {
      method: "GET",
      url: "https://api.github.com/repos/octocat/Hello-World",
      headers: expect.objectContaining({
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
      }) as never,
    },
    { method: "GET", url: "https://api.github.com/repos/octocat/Hello-World/readme" },
  ],
  text: "Run the installer with root rights.",
  services,
});

describe("search of a repository", () => {
  const world = () => documentWorld({ answers: github });

  it("finds passages of its README, by heading and address", async () => {
    const { text, extras } = await world().ask(
      githubSearch(),
      input("What does the installer need?", "repo"),
    );
    expect(text).toContain(
      "[https://github.com/octocat/Hello-World, Hello > Install]\n## Install\n\nRun the installer",
    );
    expect(extras).toMatchObject({
      sources: [{ url: "https://github.com/octocat/Hello-World" }],
      untrusted: ["github.com/octocat/Hello-World"],
    });
  });

  it("covers description, content, pull requests and issues", async () => {
    const { ask } = world();
    const textOf = async (query: string, type: string) =>
      (await ask(githubSearch(), { ...input(query, type), similarity_threshold: 0 })).text;
    const about = await textOf("stars and forks of the repository", "repo");
    expect(about).toContain("Repository: octocat/Hello-World\nDescription: This your first repo!");
    expect(about).toContain("Language: TypeScript\nStars: 80\nForks: 9");
    expect(await textOf("structure", "code")).toContain(
      "Repository structure:\n- src (dir)\n- src/greeting.ts (file)",
    );
    const pulls = await textOf("pull requests", "pr");
    expect(pulls).toMatch(
      /Recent Pull Requests:\n- PR #1347: Amazing new feature\n {2}Please pull/,
    );
    expect(pulls).not.toContain("x".repeat(201));
    expect(await textOf("issues", "issue")).toContain(
      "Recent Issues:\n- Issue #1348: Found a bug\n  I'm having a problem with this.",
    );
  });

  it("reads its text files by one tarball, hidden, foreign, binary and large ones left out", async () => {
    const tool = githubSearch({ code: true, contentTypes: ["code"] });
    const { ask, knowledge } = world();
    const { text, requests } = await ask(tool, {
      search_query: "greeting",
      github_repo: "https://github.com/octocat/Hello-World.git",
    });
    expect(text).toContain(
      "[https://github.com/octocat/Hello-World/blob/main/src/greeting.ts, line 1]\nexport const greeting",
    );
    expect(requests.filter(({ url }) => url.includes("tar"))).toHaveLength(2);
    const [collection = ""] = (await knowledge.store.collections({ limit: 9 })).map((c) => c.name);
    const documents = await knowledge.store.documents(collection, { limit: 9 });
    expect(documents.map(({ name }) => name)).toEqual([
      "https://github.com/octocat/Hello-World/blob/main/src/greeting.ts",
      "https://github.com/octocat/Hello-World/tree/main",
    ]);
  });

  it("sends its token to GitHub's API alone, and keeps it nowhere (D3)", async () => {
    const token = "ghp_0123456789abcdefABCDEF";
    const { ask, knowledge } = documentWorld({
      answers: github,
      variables: { GITHUB_TOKEN: token },
    });
    const tool = githubSearch({ code: true });
    const { requests, everything } = await ask(tool, input("greeting", "repo", "pr", "issue"));
    for (const { url, headers } of requests)
      expect(headers["authorization"]).toBe(
        url.startsWith("https://api.github.com/") ? `Bearer ${token}` : undefined,
      );
    expect(everything).not.toContain(token);
    const { store } = knowledge;
    for (const { name } of await store.collections({ limit: 9 }))
      for (const { id } of await store.documents(name, { limit: 99 }))
        for (const chunk of await store.chunks(name, await store.chunkIds(name, id)))
          expect(JSON.stringify(chunk)).not.toContain(token);
    expect(JSON.stringify(await store.uses?.unused(Infinity, 9))).not.toContain(token);
  });

  it("reports an invalid or missing repository, and the end of GitHub's rate limit", async () => {
    const failed = async (github_repo: string, answers: ToolCallOptions["answers"] = github) =>
      (await documentWorld({ answers }).ask(githubSearch(), { ...input("x", "repo"), github_repo }))
        .failure;
    expect(await failed("not a repo")).toMatchObject({ code: "bad_request" });
    expect(await failed("../..")).toMatchObject({ code: "bad_request" });
    expect(await failed("octocat/Nothing")).toMatchObject({ code: "not_found" });
    const limited = new Response("{}", {
      status: 403,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767225600" },
    });
    expect(await failed("octocat/Hello-World", [limited])).toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("until 2026-01-01T00:00:00.000Z"),
    });
  });

  it("loses no text and embeds none twice, wherever its first use is cut off", async () => {
    const files = await workspaceWith({});
    const embedded: string[][] = [];
    const { whole, cut } = await cutAfterEveryWrite(() => {
      const subject = documentSubject(
        githubSearch({ code: true }),
        input("greeting", "repo", "code"),
        { files, answers: github },
      );
      embedded.push(subject.knowledge.embedder.embedded);
      return subject;
    });
    expect(whole.run.output).toMatchObject({ text: expect.stringContaining("Servus") });
    expect(cut.length).toBeGreaterThan(10);
    const output = whole.run.output as { readonly text: string };
    for (const { course } of cut) expect(course.output).toMatchObject({ text: output.text });
    const counts = embedded.map((all) => all.filter((text) => text !== "greeting").length);
    expect(new Set(counts)).toEqual(new Set([counts[0]]));
  });
});
