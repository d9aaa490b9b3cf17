// Headers of the console's pages, served by the Worker or by the platform: the `_headers` file of the assets has the
// same lines.

/** Headers of every page and asset. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
};

/** Cache setting of pages, which name the assets of their version. */
export const PAGE_CACHE = "no-cache";
/** Cache setting of assets, whose names contain their hashes. */
export const ASSET_CACHE = "public, max-age=31536000, immutable";

/** Returns the text of the `_headers` file, for files served by the platform without the Worker. */
export function headersFile(path = "/console"): string {
  const lines = Object.entries(PAGE_HEADERS).map(([name, value]) => `  ${name}: ${value}`);
  return [
    `${path}/*`,
    ...lines,
    `  Cache-Control: ${PAGE_CACHE}`,
    `${path}/assets/*`,
    "  ! Cache-Control",
    `  Cache-Control: ${ASSET_CACHE}`,
    "",
  ].join("\n");
}
