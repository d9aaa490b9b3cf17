// After the build: llms.txt, llms-full.txt, and each page as Markdown beside its HTML.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { SECTIONS } from "./sections.ts";

const site = fileURLToPath(new URL("..", import.meta.url));
const content = `${site}src/content/docs`;
const dist = `${site}dist`;

type Page = {
  readonly slug: string;
  readonly title: string;
  readonly about: string;
  readonly text: string;
};

const pages = globSync("**/*.md", { cwd: content }).map(pageOf);
for (const page of pages) {
  const file = `${dist}/${page.slug}.md`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, page.text);
}

const bySlug = new Map(pages.map((page) => [page.slug, page]));
const listed = SECTIONS.map(({ title, pages: slugs }) => ({
  title,
  pages: slugs.flatMap((slug) => bySlug.get(slug) ?? []),
}));
const named = new Set(listed.flatMap((section) => section.pages));
const rest = (title: string, folder: string) => ({
  title,
  pages: pages
    .filter((page) => !named.has(page) && page.slug.startsWith(folder))
    .toSorted(bySlugOrder),
});
const sections = [
  ...listed,
  rest("Exported names", "api/"),
  rest("Examples", "examples/"),
  rest("Design", "design/"),
  rest("Decisions", "decisions/"),
];
const others = pages.filter((page) => !sections.some((section) => section.pages.includes(page)));
const all = [...sections, { title: "Optional", pages: others.toSorted(bySlugOrder) }];

const head = "# Edgecrew\n\n> Crews of AI agents that survive anything, on Cloudflare Workers.\n";
writeFileSync(
  `${dist}/llms.txt`,
  `${head}${all.map(({ title, pages: own }) => `\n## ${title}\n\n${own.map(line).join("\n")}\n`).join("")}`,
);
writeFileSync(
  `${dist}/llms-full.txt`,
  `${head}\n${all.flatMap(({ pages: own }) => own.map(({ text }) => text)).join("\n\n")}`,
);
console.log(`${pages.length} pages as Markdown`);

function pageOf(path: string): Page {
  const text = readFileSync(`${content}/${path}`, "utf8");
  const [, fields = "", body = ""] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  const field = (name: string): string =>
    JSON.parse(new RegExp(`^${name}: (".*")$`, "m").exec(fields)?.[1] ?? '""') as string;
  const title = field("title");
  return {
    slug: path.slice(0, -".md".length),
    title,
    about: field("description"),
    text: `# ${title}\n${body}`,
  };
}

function line({ slug, title, about }: Page): string {
  return `- [${title}](/${slug}.md): ${about}`;
}

function bySlugOrder(a: Page, b: Page): number {
  return a.slug < b.slug ? -1 : 1;
}
