// The table tiers × features of docs/contributing-tests.md, made from the names of the test files.
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Tiers with files of their own; the simulation and the world are described on pages of theirs. */
const TIERS = [
  "unit",
  "objects",
  "integration",
  "crash",
  "browser",
  "conformance",
  "types",
] as const;

type Tier = (typeof TIERS)[number];

/**
 * Features in the order of the table, with the words by which a file belongs to one: a folder of the path or a word of the file's
 * name. The first feature that matches takes the file.
 */
const FEATURES: ReadonlyArray<readonly [name: string, words: string]> = [
  ["A2A", "a2a"],
  ["ACP", "acp"],
  ["AG-UI", "ag-ui"],
  ["MCP", "mcp"],
  ["OpenAI's API", "openai"],
  ["CrewAI's hosted API", "compat crewai"],
  ["protocols together", "protocols clients late-subscribers"],
  ["access: keys, tokens, tenants", "access tokens tenants security settings"],
  ["backup", "backup restore"],
  ["conversations", "conversation conversations group"],
  ["flows", "flow flows declared declarative plots"],
  [
    "console",
    "console-pages console all-pages data-pages run-page run-overview first-use long-runs sizes definitions operations evaluate start-pages kill-worker keyboard",
  ],
  ["client", "client run-handle frontends bad-network"],
  [
    "command line and build",
    "cli build check dev dev-reload scaffold packed wrangler deployed readme-worker releases local-database",
  ],
  ["code execution", "code"],
  ["files", "files"],
  ["knowledge", "knowledge recall"],
  ["memory", "memory change-embedder"],
  ["vectors and embeddings", "vectors embeddings text text-search"],
  [
    "models",
    "llm model-calls model-caches native-wires provider-failures caller-settings outage model",
  ],
  ["tools", "tools tool approval sql tables"],
  ["agents and interop", "agent agents interop"],
  ["crews and projects", "crew project examples training human-input evaluation testing"],
  ["hooks", "hooks"],
  ["triggers", "triggers queues"],
  ["webhooks", "webhooks"],
  [
    "alerts, metrics, quotas, usage",
    "alerts metrics quotas usage retention telemetry run-feed runtime-logging",
  ],
  ["parts", "parts part entry app-options"],
  ["HTTP", "http about documentation starts"],
  [
    "storage on Cloudflare",
    "cloudflare storage stores rows index run-directory run-list placement deletion large-values long-names",
  ],
  [
    "engine",
    "base journal events runtime graph wire simulation streams recovery waiting waits branches cancel idempotency crash-budget deploy deploys step-keys listeners kill kill-demo fan-out open-runs two-workers messages",
  ],
  ["world tier", "world"],
];

/** Files of each feature by tier, and those that belong to none. */
export function testsByFeature(): {
  readonly counts: ReadonlyMap<string, Readonly<Record<Tier, number>>>;
  readonly homeless: readonly string[];
} {
  const empty = (): Record<Tier, number> =>
    Object.fromEntries(TIERS.map((tier) => [tier, 0])) as Record<Tier, number>;
  const counts = new Map(FEATURES.map(([name]) => [name, empty()]));
  const homeless: string[] = [];
  for (const tier of TIERS)
    for (const path of globSync(`test/${tier}/**/*.{test.ts,test-d.ts}`, {
      cwd: root,
    }).toSorted()) {
      const count = counts.get(featureOf(path.replaceAll("\\", "/")) ?? "");
      if (count === undefined) homeless.push(path);
      else count[tier]++;
    }
  return { counts, homeless };
}

/** Unit tests belong to their folder; others to the feature of their folder, their name, or the most of its words. */
export function featureOf(path: string): string | undefined {
  const [, tier, ...rest] = path.replace(/\.test(?:-d)?\.ts$/, "").split("/");
  const name = rest.at(-1) ?? "";
  const folders = rest.slice(0, -1);
  const keys = tier === "unit" ? folders : [...folders, name, ...name.split("-")];
  for (const key of keys) {
    const found = FEATURES.find(([, words]) => words.split(" ").includes(key));
    if (found !== undefined) {
      // A protocol has a folder inside of the one of all protocols.
      const inner = FEATURES.find(([, words]) => words.split(" ").includes(folders[1] ?? ""));
      return key === "protocols" && inner !== undefined ? inner[0] : found[0];
    }
  }
  return undefined;
}

/** Fills `<!-- tiers -->` … `<!-- /tiers -->` of a page. */
export function fillTiers(markdown: string): string {
  return markdown.replace(/(<!-- tiers -->\n)[^]*?(<!-- \/tiers -->)/, (...parts) => {
    const [, head, tail] = parts as string[];
    return `${head}${tierTable()}${tail}`;
  });
}

function tierTable(): string {
  const rows = [...testsByFeature().counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => [name, ...TIERS.map((tier) => (count[tier] > 0 ? "yes" : "–"))]);
  return [["Feature", ...TIERS], ["---", ...TIERS.map(() => "---")], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("");
}
