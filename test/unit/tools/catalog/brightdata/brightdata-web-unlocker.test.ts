import { expect, it } from "vitest";
import { brightDataWebUnlocker } from "../../../../../src/tools/catalog/brightdata/brightdata-web-unlocker.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const variables = { BRIGHT_DATA_API_KEY: "bd-0123456789", BRIGHT_DATA_ZONE: "unlocker1" };
const input = { url: "https://tea.example" };

toolContract(brightDataWebUnlocker, {
  variables: { BRIGHTDATA_API_URL: "https://api.brightdata.com" },
  input,
  success: [new Response("# Tea\n\nLeaves in hot water.")],
  requests: [
    {
      method: "POST",
      url: "https://api.brightdata.com/request",
      body: { zone: "plain", url: "https://tea.example", format: "raw", data_format: "markdown" },
    },
  ],
  text: "Leaves in hot water.",
  isText: true,
});

it("reads the page out of an answer with status and headers", async () => {
  const answer = { status_code: 200, headers: { a: "b" }, body: "<h1>Tea</h1>" };
  const { text, data, requests } = await callOf(
    brightDataWebUnlocker({ zone: "mine" }),
    { ...input, format: "json", data_format: "none" },
    {
      answers: [Response.json(answer)],
      variables: { BRIGHT_DATA_API_KEY: "bd-0123456789" },
    },
  );
  expect(requests[0]?.body).toEqual({ zone: "mine", url: "https://tea.example", format: "json" });
  expect(text).toContain("<h1>Tea</h1>");
  expect(data).toEqual(answer);
});

it("keeps a screenshot as a file of the run, and shows it", async () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  const { extras, files, everything } = await callOf(
    brightDataWebUnlocker({ dataFormat: "screenshot" }),
    input,
    { answers: [new Response(png)], variables },
  );
  const path = extras.files?.[0]?.path ?? "";
  expect(path).toMatch(/^screenshots\/tea\.example-[0-9a-f]{8}\.png$/);
  expect(extras.images).toEqual([{ path, mediaType: "image/png" }]);
  expect((await files.get(`runs/run-1/${path}`))?.content).toEqual(png);
  expect(everything).not.toContain("iVBORw0KGgo");
});

it("needs a zone", async () => {
  await expect(
    callOf(brightDataWebUnlocker(), input, {
      variables: { BRIGHT_DATA_API_KEY: "bd-0123456789" },
    }),
  ).rejects.toThrow(/BRIGHT_DATA_ZONE/);
});
