// The user's cache folder: one folder a need, under a hash of its requirements.
//
// A folder counts once `made.json` is in it, which is written last. A folder without it is left over from
// a setup that was interrupted, and is made again.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Need } from "./need.ts";

const LOCK_STALE_MS = 60_000;
const LOCK_BEAT_MS = 10_000;

/** Folder of all needs. `EDGECREW_WORLD_CACHE` overrides it. */
export function cacheRoot(): string {
  const own = process.env["EDGECREW_WORLD_CACHE"];
  if (own) return own;
  const base =
    process.env["XDG_CACHE_HOME"] ??
    (process.platform === "darwin"
      ? join(homedir(), "Library", "Caches")
      : process.platform === "win32"
        ? (process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"))
        : join(homedir(), ".cache"));
  return join(base, "edgecrew", "world");
}

/** Folder of a need, whether it is made or not. */
export function folderOf(need: Need): string {
  const hash = createHash("sha256")
    .update(`${process.platform} ${process.arch}\n${need.requirements()}`)
    .digest("hex");
  return join(cacheRoot(), `${need.name}-${hash.slice(0, 16)}`);
}

export function isMade(need: Need): boolean {
  return existsSync(join(folderOf(need), "made.json"));
}

/**
 * Makes a need unless it is there, and returns its folder. Two processes that ask at once make it once:
 * the second waits. A lock whose owner has stopped renewing it for a minute is taken over.
 */
export async function makeNeed(need: Need, say: (line: string) => void): Promise<string> {
  const folder = folderOf(need);
  if (isMade(need)) return folder;
  mkdirSync(cacheRoot(), { recursive: true });
  const unlock = await lock(`${folder}.lock`, say);
  try {
    if (isMade(need)) return folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const startedAtMs = Date.now();
    await need.make({ folder, say });
    const seconds = Math.round((Date.now() - startedAtMs) / 1000);
    writeFileSync(
      join(folder, "made.json"),
      `${JSON.stringify({ name: need.name, what: need.what, seconds, madeAt: new Date().toISOString() }, undefined, 2)}\n`,
    );
    return folder;
  } finally {
    unlock();
  }
}

async function lock(path: string, say: (line: string) => void): Promise<() => void> {
  for (let waits = 0; ; waits++) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      const beat = setInterval(() => touch(path), LOCK_BEAT_MS);
      beat.unref();
      return () => {
        clearInterval(beat);
        rmSync(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (isStale(path)) rmSync(path, { force: true });
      else {
        if (waits === 0) say(`another setup (process ${ownerOf(path)}) makes it; waiting`);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

function isStale(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > LOCK_STALE_MS;
  } catch {
    return false; // released meanwhile
  }
}

function ownerOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "unknown";
  }
}
