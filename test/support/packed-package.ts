// The packages of this repository as `npm pack` makes them: packed once for all tests that install them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = `${root}/node_modules/.cache/edgecrew/packages`;

/** What is in them, and what that is built of and by. */
const SOURCES = [
  "*.{json,md}",
  "LICENSE",
  "{src,durable-objects,console,scripts,migrations,examples}/**",
  "create/{package.json,templates/**}",
  "docs/**/*.md",
];

/** Puts the tarball of a package of this repository into a folder, and answers its path. */
export function packedPackage(name: "edgecrew" | "create-edgecrew", folder: string): string {
  const made = join(cache, fingerprint());
  const kept = join(made, `${name}.tgz`);
  if (!existsSync(kept)) pack(name === "edgecrew" ? root : join(root, "create"), kept);
  const own = join(folder, `${name}.tgz`);
  copyFileSync(kept, own);
  return own;
}

function fingerprint(): string {
  const hash = createHash("sha256");
  const paths = SOURCES.flatMap((pattern) =>
    globSync(pattern, { cwd: root, exclude: (path) => /(?:^|\/)node_modules$/.test(path) }),
  );
  for (const path of paths.toSorted())
    if (statSync(join(root, path)).isFile())
      hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest("hex").slice(0, 32);
}

/** In a folder of its own, so that what is in its place is whole. */
function pack(path: string, kept: string): void {
  mkdirSync(join(kept, ".."), { recursive: true });
  const own = mkdtempSync(join(cache, "new-"));
  const said = execFileSync("npm", ["pack", "--json", "--pack-destination", own], {
    cwd: path,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [{ filename }] = JSON.parse(said.slice(said.indexOf("["))) as [{ filename: string }];
  renameSync(join(own, filename), kept);
  rmSync(own, { recursive: true });
}
