/** Whether an address is at a host: `api.example.com`, `api.example.com:8080`, `*.example.com`. */
export function isHost(url: URL, pattern: string): boolean {
  if (pattern.startsWith("*.")) return url.hostname.endsWith(pattern.slice(1));
  return pattern.includes(":") ? url.host === pattern : url.hostname === pattern;
}
