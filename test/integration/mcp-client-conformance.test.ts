// The protocol's own conformance suite, against a crew that uses its servers. What is left out, and why:
//
// - `json-schema-2020-12-preservation`: models are sent schemas without `$schema`, as providers refuse it.
// - `auth/2025-03-26-*`: no metadata, before RFC 9728. `auth/client-credentials-jwt`, `-dpop*`, `-wif*`, `enterprise-*`: not offered.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const output = mkdtempSync(`${tmpdir()}/edgecrew-conformance-`);
afterAll(() => rmSync(output, { recursive: true }));

const AUTH = [
  "client-credentials-basic",
  "metadata-default",
  "metadata-var1",
  "metadata-var2",
  "metadata-var3",
  "basic-cimd",
  "scope-from-www-authenticate",
  "scope-from-scopes-supported",
  "scope-omitted-when-undefined",
  "scope-step-up",
  "scope-retry-limit",
  "token-endpoint-auth-basic",
  "token-endpoint-auth-post",
  "token-endpoint-auth-none",
  "pre-registration",
  "resource-mismatch",
  "offline-access-scope",
  "offline-access-not-supported",
  "authorization-server-migration",
  "iss-supported",
  "iss-not-advertised",
  "iss-supported-missing",
  "iss-wrong-issuer",
  "iss-unexpected",
  "iss-normalized",
  "metadata-issuer-mismatch",
];

it.each([
  ["initialize"],
  ["tools_call"],
  ["request-metadata"],
  ["http-standard-headers"],
  ["http-custom-headers"],
  ["http-invalid-tool-headers"],
  ["json-schema-ref-no-deref"],
  ["sep-2322-client-request-state"],
  ["sse-retry"],
  ["elicitation-sep1034-client-defaults"],
  ...AUTH.map((scenario) => [`auth/${scenario}`]),
])("passes the scenario %s", (scenario) => {
  const suite = `${root}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;
  const client = `${process.execPath} ${root}/test/support/mcp-conformance-client.ts`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [suite, "client", "--command", client, "--scenario", scenario, "-o", output],
    { encoding: "utf8", cwd: root },
  );
  expect(`${stdout}${stderr}`).toContain("OVERALL: PASSED");
  expect(status).toBe(0);
});
