// The console's pages as they are built, served as the Worker serves them.
import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const pages = `${fileURLToPath(new URL("../..", import.meta.url))}dist/console-root`;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".html": "text/html; charset=utf-8",
};

export function servePage(pathname: string, outgoing: ServerResponse): void {
  const isFile = extname(pathname) !== "" && existsSync(pages + pathname);
  if (!isFile && pathname.startsWith("/console/assets/")) {
    outgoing.writeHead(404).end();
    return;
  }
  const path = isFile ? pathname : "/console/index.html";
  outgoing.writeHead(200, {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "content-security-policy": POLICY,
  });
  outgoing.end(readFileSync(pages + path));
}
