// Answers have the shape of SerpApi's documentation (serpapi.com/search-api, serpapi.com/google-shopping-api), cut short.
import { expect, it } from "vitest";
import { serpApiGoogleSearch } from "../../../../../src/tools/catalog/serpapi/serpapi-google-search.ts";
import { serpApiGoogleShopping } from "../../../../../src/tools/catalog/serpapi/serpapi-google-shopping.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const KEY = "serp-0123456789";
const SEARCH = {
  search_metadata: { id: "1", status: "Success" },
  search_parameters: { engine: "google", q: "x" },
  answer_box: { type: "organic_result", answer: "A drink" },
  organic_results: [
    {
      position: 1,
      title: "Tea",
      link: "https://tea.example/a",
      displayed_link: "https://tea.example › a",
      snippet: "All of tea.",
      sitelinks: {
        inline: [{ title: "Green", link: "https://tea.example/g", displayed_link: "g" }],
      },
    },
  ],
  related_questions: [
    { question: "Why?", next_page_token: "t", serpapi_link: "https://serpapi.com/x" },
  ],
  pagination: { current: 1 },
  serpapi_pagination: { next: `https://serpapi.com/search.json?q=x&api_key=${KEY}` },
};

toolContract(serpApiGoogleSearch, {
  input: { search_query: "x", location: "Berlin, Germany" },
  success: [Response.json(SEARCH)],
  requests: [
    {
      method: "GET",
      path: "/search.json?engine=google&q=x&location=Berlin%2C+Germany&api_key=sk-live-0123456789abcdef",
    },
  ],
  text: "A drink\n\n1. Tea\n   https://tea.example/a\n   All of tea.",
});

it("leaves links to SerpApi itself out, at every depth, and its key out of all texts (T27)", async () => {
  const { data, everything } = await callOf(
    serpApiGoogleSearch(),
    { search_query: "x" },
    { answers: [Response.json(SEARCH)], variables: { SERPAPI_API_KEY: KEY } },
  );
  expect(data).toEqual({
    answer_box: { type: "organic_result", answer: "A drink" },
    organic_results: [
      {
        position: 1,
        title: "Tea",
        link: "https://tea.example/a",
        snippet: "All of tea.",
        sitelinks: { inline: [{ title: "Green", link: "https://tea.example/g" }] },
      },
    ],
    related_questions: [{ question: "Why?" }],
  });
  expect(everything).not.toContain(KEY);
});

it("keeps its key out of a failure's message", async () => {
  const echo = { error: `Invalid API key in https://serpapi.com/search.json?api_key=${KEY}` };
  const { failure } = await callOf(
    serpApiGoogleSearch(),
    { search_query: "x" },
    { answers: [Response.json(echo, { status: 401 })], variables: { SERPAPI_API_KEY: KEY } },
  );
  expect(failure?.message).toBe(
    "SerpApi refused the key in SERPAPI_API_KEY: Invalid API key in https://serpapi.com/search.json?api_key=***",
  );
});

const SHOPPING = {
  search_metadata: { id: "1" },
  filters: [{ type: "Price" }],
  shopping_results: [
    {
      position: 1,
      title: "Teapot",
      product_link: "https://google.example/p",
      source: "Pots & more",
      price: "$12.00",
      extracted_price: 12,
      serpapi_product_api: "https://serpapi.com/x",
      next_page_token: "kept here",
    },
  ],
};

toolContract(serpApiGoogleShopping, {
  input: { search_query: "teapot" },
  success: [Response.json(SHOPPING)],
  requests: [{ path: expect.stringContaining("engine=google_shopping&q=teapot&") as string }],
  text: "1. Teapot\n   https://google.example/p\n   $12.00, Pots & more",
});

it("leaves filters out of offers", async () => {
  const { data } = await callOf(
    serpApiGoogleShopping(),
    { search_query: "teapot" },
    { answers: [Response.json(SHOPPING)], variables: { SERPAPI_API_KEY: KEY } },
  );
  expect(data).toEqual({
    shopping_results: [
      {
        position: 1,
        title: "Teapot",
        product_link: "https://google.example/p",
        source: "Pots & more",
        price: "$12.00",
        extracted_price: 12,
        next_page_token: "kept here",
      },
    ],
  });
});
