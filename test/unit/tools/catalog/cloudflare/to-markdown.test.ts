// The double answers as `ConversionResponse` of @cloudflare/workers-types says of the binding.
import { expect, it } from "vitest";
import type { Converted } from "../../../../../src/tools/catalog/cloudflare/bindings.ts";
import { toMarkdown } from "../../../../../src/tools/catalog/cloudflare/to-markdown.ts";
import { requireNeeds } from "../../../../../src/tools/tool-needs.ts";
import { callOf } from "../../../../support/tool-world.ts";

type Seen = { readonly name: string; readonly type: string; readonly text: string };

function converter(answer?: Converted) {
  const seen: Seen[] = [];
  const convert = async ({ name, blob }: { name: string; blob: Blob }): Promise<Converted> => {
    const text = await blob.text();
    seen.push({ name, type: blob.type, text });
    return answer ?? { format: "markdown", data: `# ${text}`, tokens: 3 };
  };
  return { seen, markdown: { toMarkdown: convert } };
}

const files = {
  get: async (path: string) =>
    path.endsWith("/reports/tea.pdf")
      ? { content: new TextEncoder().encode("Tea"), mediaType: "application/pdf" }
      : undefined,
  put: async () => undefined,
};

it("reads a file of the workspace", async () => {
  const { seen, markdown } = converter();
  const { text, data, extras } = await callOf(
    toMarkdown(),
    { path: "reports/tea.pdf" },
    { services: { markdown, files } },
  );
  expect(seen).toEqual([{ name: "tea.pdf", type: "application/pdf", text: "Tea" }]);
  expect(text).toContain("# Tea");
  expect(data).toEqual({ name: "tea.pdf", markdown: "# Tea" });
  expect(extras.untrusted).toEqual(["tea.pdf"]);
});

it("reads an address, with or without a scheme", async () => {
  const { seen, markdown } = converter();
  const { extras, requests } = await callOf(
    toMarkdown(),
    { url: "tea.example/menu.html" },
    {
      answers: [new Response("Menu", { headers: { "content-type": "text/html; charset=utf-8" } })],
      services: { markdown },
    },
  );
  expect(requests[0]?.url).toBe("https://tea.example/menu.html");
  expect(seen).toEqual([{ name: "menu.html", type: "text/html", text: "Menu" }]);
  expect(extras.sources).toEqual([{ url: "https://tea.example/menu.html", title: "menu.html" }]);
});

it.each([
  [{ url: "http://169.254.169.254/latest" }, "refused"],
  [{ url: "not an address" }, "bad_request"],
  [{ file_path: "../secrets" }, "refused"],
  [{ file_path: "missing.pdf" }, "not_found"],
  [{}, "bad_request"],
])("reads no document for %j", async (input, code) => {
  const { seen, markdown } = converter();
  const { failure, requests } = await callOf(toMarkdown(), input, {
    services: { markdown, files },
  });
  expect(failure?.code).toBe(code);
  expect([seen, requests]).toEqual([[], []]);
});

it("reports an unreadable document, and the missing binding", async () => {
  const input = { file_path: "reports/tea.pdf" };
  const { markdown } = converter({ format: "error", error: "the PDF is encrypted" });
  const refused = await callOf(toMarkdown(), input, { services: { markdown, files } });
  expect(refused.failure?.message).toBe("Workers AI could not read tea.pdf: the PDF is encrypted");
  expect(() => requireNeeds([toMarkdown()], {})).toThrow("to_markdown needs the binding AI");
});
