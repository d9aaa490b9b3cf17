// Makes the site's content of docs/*.md, and of the declarations in dist by TypeDoc. Nothing here is written by hand.
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { docs } from "./sections.ts";

const site = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));
const content = `${site}src/content/docs`;

const LINK = /(?<picture>!?)\[(?<label>(?:[^\][]|\[[^\]]*\])*)\]\((?<target>[^)\s]+)\)/g;

/** A page before it is one of the site. */
type Source = { readonly from: string; readonly slug: string; readonly markdown: string };

rmSync(`${site}src/content`, { recursive: true, force: true });
rmSync(`${site}public`, { recursive: true, force: true });
mkdirSync(content, { recursive: true });
mkdirSync(`${site}public`, { recursive: true });

const pages: readonly Source[] = [
  ...markdownIn("", docs),
  ...markdownIn("design/", `${docs}design/`),
  ...markdownIn("decisions/", `${docs}decisions/`),
  { from: "../CHANGELOG.md", slug: "changelog", markdown: read(`${root}CHANGELOG.md`) },
  ...globSync("*.ts", { cwd: `${root}examples` }).map((name) => example(name)),
];
const slugs = new Map(pages.map(({ from, slug }) => [from, slug]));
for (const page of pages) writePage(page, linksOf);
copyFileSync(`${site}src/favicon.svg`, `${site}public/favicon.svg`);
for (const svg of globSync("*.svg", { cwd: docs }))
  copyFileSync(`${docs}${svg}`, `${site}public/${svg}`);

const api = await makeApi();
console.log(`${pages.length} pages, ${api} of the API`);

function markdownIn(prefix: string, folder: string): Source[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => ({
      from: `${prefix}${name}`,
      slug: name === "README.md" ? "index" : `${prefix}${name.slice(0, -".md".length)}`,
      markdown: read(`${folder}${name}`),
    }));
}

function example(name: string): Source {
  const code = read(`${root}examples/${name}`);
  return {
    from: `../examples/${name}`,
    slug: `examples/${name.slice(0, -".ts".length)}`,
    markdown: `# ${name}\n\nAn example of the repository.\n\n\`\`\`ts\n${code}\`\`\`\n`,
  };
}

/** A page as Starlight takes it: the first heading and sentence become its title and description. */
function writePage(
  { from, slug, markdown }: Source,
  links: (text: string, from: string) => string,
): void {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? basename(from);
  const body = links(markdown.replace(/^# .+\n/m, ""), from).replaceAll(
    /^```(\S+) (?:run|run server|file=\S+)$/gm,
    (_, language: string) => `\`\`\`${language}`,
  );
  const first = /^(?!\||#|```|- )[A-Z`].*$/m.exec(markdown.replace(/^# .+\n/m, ""))?.[0] ?? title;
  const description = first.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
  const file = `${content}/${slug}.md`;
  mkdirSync(dirname(file), { recursive: true });
  const head = `---\ntitle: ${JSON.stringify(plain(title))}\ndescription: ${JSON.stringify(description)}\neditUrl: false\n---\n`;
  writeFileSync(file, `${head}${body}`);
}

function plain(heading: string): string {
  return heading.replaceAll(/[`*\\]/g, "").replaceAll(/&lt;/g, "<");
}

/** Links between pages; those to files that are no page of the site stay as text. */
function linksOf(markdown: string, from: string): string {
  return outsideOfCode(markdown, (text) =>
    Array.from(text.matchAll(LINK)).reduceRight((whole, { 0: all, index, groups = {} }) => {
      const { picture = "", label = "", target = "" } = groups;
      const link =
        picture === "" ? linkOf(label, target, from) : `![${label}](/${basename(target)})`;
      return whole.slice(0, index) + link + whole.slice(index + all.length);
    }, text),
  );
}

function linkOf(label: string, target: string, from: string): string {
  if (/^(?:https?:|#|mailto:)/.test(target)) return `[${label}](${target})`;
  const [path = "", anchor] = target.split("#");
  const to = new URL(path, new URL(from, "file:///docs/x/")).pathname;
  const isPage = to.startsWith("/docs/x/");
  const slug = slugs.get(isPage ? to.slice("/docs/x/".length) : `../${to.slice("/docs/".length)}`);
  if (slug === undefined) return label;
  return `[${label}](${addressOf(slug)}${anchor === undefined ? "" : `#${anchor}`})`;
}

function addressOf(slug: string): string {
  return slug === "index" ? "/" : `/${slug.toLowerCase()}/`;
}

function outsideOfCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^```[^]*?^```$)/m)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join("");
}

/** The reference of what the package exports: a page for each subpath. */
async function makeApi(): Promise<number> {
  const { exports } = JSON.parse(read(`${root}package.json`)) as {
    exports: Record<string, string | { readonly types: string }>;
  };
  const doors = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === "object" ? [{ subpath, types: `${root}${target.types.slice(2)}` }] : [],
  );
  if (!doors.every(({ types }) => existsSync(types)))
    throw new Error(
      "dist has no declarations: run `npm run build` in the repository's folder first",
    );
  const out = `${site}.api`;
  rmSync(out, { recursive: true, force: true });
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: doors.map(({ types }) => types),
    tsconfig: `${site}tsconfig.api.json`,
    name: "edgecrew",
    out,
    readme: "none",
    router: "module",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hideGroupHeadings: false,
    disableSources: true,
    useHTMLAnchors: true,
    excludePrivate: true,
    excludeExternals: true,
    skipErrorChecking: true,
    parametersFormat: "table",
    propertiesFormat: "table",
    typeDeclarationFormat: "table",
    logLevel: "Error",
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("TypeDoc read no declarations");
  for (const child of project.children ?? []) {
    const door = doors.find(
      ({ types }) =>
        types.endsWith(`/src/${child.name}.d.ts`) ||
        types.endsWith(`/src/${child.name}/index.d.ts`),
    );
    if (door !== undefined) child.name = `edgecrew${door.subpath.slice(1)}`;
  }
  await app.generateOutputs(project);
  const made = globSync("**/*.md", { cwd: out });
  for (const name of made) writeApiPage(name, read(`${out}/${name}`));
  return made.length;
}

function writeApiPage(name: string, markdown: string): void {
  const slug = `api/${apiSlug(name)}`;
  const links = (text: string): string =>
    outsideOfCode(text, (prose) =>
      prose.replaceAll(/\]\(([^)#\s:]+)\.md(#[^)]*)?\)/g, (_, path: string, anchor = "") => {
        const to = new URL(path, `file:///${name}`).pathname.slice(1);
        return `](/api/${apiSlug(`${decodeURIComponent(to)}.md`)}/${String(anchor)})`;
      }),
    );
  const title = name === "README.md" ? "# All exported names\n" : "";
  writePage({ from: name, slug, markdown: `${title}${markdown}` }, links);
}

function apiSlug(name: string): string {
  return name === "README.md" ? "all" : name.slice(0, -".md".length).toLowerCase();
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
