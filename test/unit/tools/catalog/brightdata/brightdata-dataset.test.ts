import { expect, it } from "vitest";
import { brightDataDataset } from "../../../../../src/tools/catalog/brightdata/brightdata-dataset.ts";
import { cutAfterEveryResult } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type SeenRequest } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const API = "https://api.brightdata.com/datasets/v3";
const variables = { BRIGHT_DATA_API_KEY: "bd-0123456789" };
const RECORDS = [{ title: "Tea", final_price: 4.5, asin: "B0X" }];
const input = { dataset_type: "amazon_product", url: "https://www.amazon.com/dp/B0X" };

toolContract(brightDataDataset, {
  variables: { BRIGHTDATA_API_URL: "https://api.brightdata.com" },
  input,
  success: [
    Response.json({ snapshot_id: "s_1" }),
    Response.json({ snapshot_id: "s_1", status: "running" }),
    Response.json({ snapshot_id: "s_1", status: "ready", records: 1 }),
    Response.json(RECORDS),
  ],
  requests: [
    {
      method: "POST",
      url: `${API}/trigger?dataset_id=gd_l7q7dkf244hwjntr0&include_errors=true`,
      body: [{ url: input.url }],
    },
    { method: "GET", url: `${API}/progress/s_1` },
    { method: "GET", url: `${API}/progress/s_1` },
    { method: "GET", url: `${API}/snapshot/s_1?format=json` },
  ],
  text: '"final_price": 4.5',
  data: RECORDS,
});

const answers = ({ method, path }: SeenRequest): Response => {
  if (method === "POST") return Response.json({ snapshot_id: "s_1" });
  return path.includes("progress")
    ? Response.json({ status: "ready" })
    : new Response("title,price\nTea,4.5\n");
};

it("sends further inputs, takes the id of a data set, and gives other formats as they are", async () => {
  const { requests, text } = await callOf(
    brightDataDataset({ datasetType: "gd_own1", format: "csv" }),
    { url: "https://shop.example/x", zipcode: "10115", additional_params: { keyword: "tea" } },
    { answers, variables },
  );
  expect(requests[0]).toMatchObject({
    url: `${API}/trigger?dataset_id=gd_own1&include_errors=true`,
    body: [{ url: "https://shop.example/x", zipcode: "10115", keyword: "tea" }],
  });
  expect(text).toContain("title,price\nTea,4.5");
});

it("names the known data sets, without a request", async () => {
  const { failure, requests } = await callOf(
    brightDataDataset(),
    { ...input, dataset_type: "amazon" },
    { variables },
  );
  expect(failure).toMatchObject({ code: "bad_request", message: /amazon_product, .*tiktok_shop/ });
  expect(requests).toEqual([]);
});

it("has data collected once, wherever its run loses its process", async () => {
  const { cut } = await cutAfterEveryResult(() =>
    toolSubject(brightDataDataset(), { ...input, format: "csv" }, { answers, variables }),
  );
  for (const { run, calls } of cut) {
    expect(run.status).toBe("completed");
    expect(calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
  }
});
