import { describe, expect, it } from "vitest";
import { console } from "../../../../src/entry/console.ts";
import { ADMIN_KEY, keyOf, signIn, TOKEN_KEY } from "../../../support/access-world.ts";
import { FilesWorld } from "../../../support/files-world.ts";

const PNG = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 7,
  0, 0, 0, 5, 8, 6, 0, 0, 0,
]);
const HTML = "<!doctype html><script>alert(1)</script>";
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const SANDBOX = "sandbox; default-src 'none'";
const VIEWER = "default-src 'none'; object-src 'self'; frame-ancestors 'self'";

type Case = {
  readonly what: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly name: string;
  readonly type?: string;
  readonly form: "inline" | "attachment";
  readonly policy?: string;
};

const CASES: readonly Case[] = [
  { what: "a picture", body: PNG, name: "a.png", form: "inline" },
  { what: "a picture with a false type", body: PNG, name: "a", type: "text/html", form: "inline" },
  { what: "a text", body: "words", name: "a.txt", type: "text/plain", form: "inline" },
  { what: "a PDF", body: "%PDF-1.7\n1 0 obj", name: "a.pdf", form: "inline", policy: VIEWER },
  { what: "a page", body: HTML, name: "a.html", type: "text/html", form: "attachment" },
  { what: "a page by its name", body: HTML, name: "a.html", form: "attachment" },
  { what: "a page by its type", body: HTML, name: "a", type: "text/html", form: "attachment" },
  { what: "a picture with scripts", body: SVG, name: "a.svg", form: "attachment" },
  {
    what: "a picture with scripts by its type",
    body: SVG,
    name: "a",
    type: "image/svg+xml",
    form: "attachment",
  },
];

describe("a file opened by a signed-in person", () => {
  it.each(CASES)(
    "FRS1, FRS2: $what comes as $form, and for keys as an attachment (CA27)",
    async ({ body, name, type, form, policy = SANDBOX }) => {
      const variables = { EDGECREW_TOKEN_KEY: TOKEN_KEY, EDGECREW_FILES_SECRET: "s" };
      const world = new FilesWorld({
        auth: { mode: "keys", adminKey: ADMIN_KEY },
        parts: console(),
        variables,
        placeVariables: variables,
      });
      const { key } = await keyOf(world);
      const headers = type === undefined ? {} : { "content-type": type };
      const path = `/files/${await world.upload(body, { name, key, headers })}/content`;
      const cookie = await signIn(world, { key });
      const shown = await world.request(path, { headers: { cookie } });
      const sent = await world.request(path, { key });
      const formOf = ({ headers: answered }: Response): string | undefined =>
        answered.get("content-disposition")?.split(";")[0];
      expect([formOf(shown), formOf(sent)]).toEqual([form, "attachment"]);
      expect(shown.headers.get("content-security-policy")).toBe(policy);
      expect(sent.headers.get("content-security-policy")).toBe(SANDBOX);
      expect(shown.headers.get("x-content-type-options")).toBe("nosniff");
    },
  );
});
