// Repository at GitHub: its description, its files and its discussions.
import type { Chunking } from "../../../knowledge/chunk.ts";
import { isoTime } from "../../../base/clock.ts";
import { isJsonObject, preview, type JsonValue } from "../../../base/json.ts";
import type { BroughtDocument } from "../../../knowledge/brought-document.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import type { ToolRequest } from "../base/request.ts";
import type { ToolIo, ToolResponse } from "../base/tool-io.ts";
import { chunkingOf, type DocumentPlace } from "./document-place.ts";
import { tarballDocuments } from "./tarball-documents.ts";

export const GITHUB_CONTENT = ["code", "repo", "pr", "issue"] as const;
export const GITHUB_HOSTS = ["api.github.com", "codeload.github.com"];
export const GITHUB_TOKEN = {
  name: "GITHUB_TOKEN",
  description: "Token of GitHub, for private repositories and a larger limit",
  required: false,
  option: "ghToken",
  hosts: ["api.github.com"],
  send: { header: "Authorization", prefix: "Bearer " },
} as const;

type GithubOptions = {
  readonly content: readonly (typeof GITHUB_CONTENT)[number][];
  /** Includes the files themselves. */
  readonly code: boolean;
};

/** Documents from one request: their addresses and their texts in Markdown. */
type Texts = { readonly branch: string; readonly texts: readonly (readonly [string, string])[] };

const MAX_AGE_MS = 3_600_000;
const MAX_TREE = 500;
const MAX_TALKS = 5;
const MAX_BODY = 200;

/** Returns a repository by `owner/name` or by its address. */
export function githubPlace(io: ToolIo, named: string, options: GithubOptions): DocumentPlace {
  const repository = repositoryOf(named);
  const { code } = options;
  const content = GITHUB_CONTENT.filter((each) => options.content.includes(each));
  return {
    key: JSON.stringify(["github", repository.toLowerCase(), content, code]),
    label: `github.com/${repository}`,
    maxAgeMs: MAX_AGE_MS,
    documents: async () => {
      const github = new Github(io, repository);
      const { branch, texts } = await io.context.step(`github:${repository}`, () =>
        github.texts(content),
      );
      const chunking: Chunking = chunkingOf("text");
      const about = texts.map(([name, words]): BroughtDocument => ({
        name,
        chunking,
        load: async () => ({
          bytes: new Uint8Array(new TextEncoder().encode(words)),
          type: "markdown",
        }),
      }));
      if (!code) return about;
      const root = `${github.address}/blob/${branch}/`;
      const files = await tarballDocuments(io, root, () => github.tarball(branch));
      return [...about, ...files];
    },
  };
}

/** Throws the failure `bad_request`. */
function repositoryOf(named: string): string {
  const [, found] =
    /^(?:(?:https?:\/\/)?(?:www\.)?github\.com\/)?([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i.exec(
      named.trim(),
    ) ?? [];
  if (found !== undefined && !found.split("/").some((part) => /^\.+$/.test(part))) return found;
  throw serviceFailure({
    code: "bad_request",
    message: `${preview(named, 200)} is no repository: give its owner and its name, such as cloudflare/workers-sdk.`,
  });
}

class Github {
  readonly address: string;
  readonly #io: ToolIo;
  readonly #path: string;

  constructor(io: ToolIo, repository: string) {
    this.#io = io;
    this.#path = `https://api.github.com/repos/${repository}`;
    this.address = `https://github.com/${repository}`;
  }

  async texts(content: GithubOptions["content"]): Promise<Texts> {
    const about = object((await this.#get("")).body);
    const branch = text(about["default_branch"]) || "main";
    const texts: [string, string][] = [];
    const add = (path: string, lines: readonly string[]): void =>
      void texts.push([this.address + path, lines.join("\n")]);
    if (content.includes("repo")) add("", [...factsOf(about), "", await this.#readme()]);
    if (content.includes("code")) add(`/tree/${branch}`, await this.#tree(branch));
    if (content.includes("pr"))
      add("/pulls", await this.#talks("pulls", { name: "Recent Pull Requests", one: "PR" }));
    if (content.includes("issue"))
      add("/issues", await this.#talks("issues", { name: "Recent Issues", one: "Issue" }));
    return { branch, texts };
  }

  async tarball(branch: string): Promise<Uint8Array> {
    const path = `/tarball/${encodeURIComponent(branch)}`;
    return (await this.#get(path, { expects: "bytes", timeoutMs: 120_000 })).bytes;
  }

  async #readme(): Promise<string> {
    const accept = "application/vnd.github.raw+json";
    const { status, body } = await this.#get("/readme", {
      expects: "text",
      accepts: [404],
      headers: { accept },
    });
    return status === 404 ? "" : `README:\n\n${text(body)}`;
  }

  async #tree(branch: string): Promise<readonly string[]> {
    const path = `/git/trees/${encodeURIComponent(branch)}`;
    const { status, body } = await this.#get(path, {
      query: { recursive: 1 },
      // A repository without a commit has no tree.
      accepts: [404, 409],
    });
    const entries = status === 200 ? list(object(body)["tree"]) : [];
    const lines = entries.slice(0, MAX_TREE).map((each) => {
      const { path: file, type } = object(each);
      return `- ${text(file)} (${type === "tree" ? "dir" : "file"})`;
    });
    const more = entries.length - lines.length;
    return ["Repository structure:", ...lines, ...(more > 0 ? [`(${more} more)`] : [])];
  }

  async #talks(
    path: "pulls" | "issues",
    { name, one }: { readonly name: string; readonly one: string },
  ): Promise<readonly string[]> {
    // The list of issues includes pull requests, which are left out.
    const wanted = path === "issues" ? 2 * MAX_TALKS : MAX_TALKS;
    const { body } = await this.#get(`/${path}`, { query: { state: "open", per_page: wanted } });
    const talks = list(body)
      .map(object)
      .filter((each) => path === "pulls" || each["pull_request"] === undefined);
    const lines = talks.slice(0, MAX_TALKS).flatMap(({ number, title, body: words }) => {
      const begun = text(words).replaceAll(/\s+/g, " ").trim().slice(0, MAX_BODY).toWellFormed();
      return [
        `- ${one} #${Number(number)}: ${text(title)}`,
        ...(begun === "" ? [] : [`  ${begun}`]),
      ];
    });
    return [`${name}:`, ...lines];
  }

  async #get(path: string, request: Partial<ToolRequest> = {}): Promise<ToolResponse> {
    const { headers, accepts = [], ...rest } = request;
    const answer = await this.#io.send({
      ...rest,
      url: this.#path + path,
      headers: {
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
        ...headers,
      },
      accepts: [...accepts, 403],
    });
    if (answer.status === 403) throw refusal(answer);
    return answer;
  }
}

/** Distinguishes a rejected key from an exhausted rate limit, which have the same status at GitHub. */
function refusal({ headers }: ToolResponse): Error {
  if (headers.get("x-ratelimit-remaining") !== "0")
    return serviceFailure({ code: "unauthorized", message: "GitHub refused access." });
  const reset = Number(headers.get("x-ratelimit-reset"));
  const until = reset > 0 ? ` until ${isoTime(reset * 1000)}` : "";
  return serviceFailure({
    code: "rate_limited",
    message: `GitHub takes no more requests${until}: a token in GITHUB_TOKEN has a larger limit.`,
  });
}

function factsOf(about: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    `Repository: ${said(about["full_name"] ?? about["name"])}`,
    `Description: ${said(about["description"])}`,
    `Language: ${said(about["language"])}`,
    `Stars: ${Number(about["stargazers_count"] ?? 0)}`,
    `Forks: ${Number(about["forks_count"] ?? 0)}`,
  ];
}

function object(value: unknown): Readonly<Record<string, JsonValue>> {
  if (isJsonObject(value)) return value;
  throw badResponse("GitHub");
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw badResponse("GitHub");
}

function said(value: unknown): string {
  return text(value) || "none";
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
