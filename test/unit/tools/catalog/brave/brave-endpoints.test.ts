// Answers have the shape of Brave's documentation (api-dashboard.search.brave.com/app/documentation), cut short.
import { expect, it } from "vitest";
import { braveImageSearch } from "../../../../../src/tools/catalog/brave/brave-image-search.ts";
import { braveLlmContext } from "../../../../../src/tools/catalog/brave/brave-llm-context.ts";
import { braveLocalPoisDescription } from "../../../../../src/tools/catalog/brave/brave-local-pois-description.ts";
import { braveLocalPois } from "../../../../../src/tools/catalog/brave/brave-local-pois.ts";
import { braveNewsSearch } from "../../../../../src/tools/catalog/brave/brave-news-search.ts";
import { braveVideoSearch } from "../../../../../src/tools/catalog/brave/brave-video-search.ts";
import { braveWebSearch } from "../../../../../src/tools/catalog/brave/brave-web-search.ts";
import { callOf } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const page = { title: "Tea", url: "https://tea.example/a", description: "All of tea." };

const WEB = {
  web: {
    results: [
      { ...page, extra_snippets: ["Green.", "Black."] },
      { ...page, title: "Second" },
    ],
  },
};
toolContract(braveWebSearch, {
  input: { q: "x" },
  success: [Response.json(WEB)],
  requests: [{ path: "/res/v1/web/search?q=x&count=10" }],
  text: "1. Tea\n   https://tea.example/a\n   Green. … Black.",
  data: [
    { url: "https://tea.example/a", title: "Tea", snippets: ["Green.", "Black."] },
    { url: "https://tea.example/a", title: "Second", snippets: ["All of tea."] },
  ],
});

const LISTED = { type: "news", results: [{ ...page, age: "2 days ago", breaking: false }] };
toolContract(braveNewsSearch, {
  options: { n_results: 60 },
  input: { q: "x", freshness: "2026-01-01to2026-02-01" },
  success: [Response.json(LISTED)],
  requests: [{ path: "/res/v1/news/search?q=x&freshness=2026-01-01to2026-02-01&count=50" }],
  text: "1. Tea\n   https://tea.example/a\n   All of tea.",
  data: [page],
});
toolContract(braveVideoSearch, {
  input: { q: "x", offset: 2 },
  success: [Response.json({ ...LISTED, type: "videos" })],
  requests: [{ path: "/res/v1/videos/search?q=x&offset=2&count=10" }],
  text: "1. Tea",
  data: [page],
});

const IMAGES = {
  type: "images",
  results: [
    {
      title: "A cup",
      url: "https://tea.example/page",
      properties: { url: "https://tea.example/cup.jpg", width: 640, height: 480 },
    },
    { title: "No size", properties: { url: "https://tea.example/pot.jpg" } },
  ],
};
toolContract(braveImageSearch, {
  input: { q: "x" },
  success: [Response.json(IMAGES)],
  requests: [{ path: "/res/v1/images/search?q=x&count=10" }],
  text: "1. A cup\n   https://tea.example/cup.jpg\n   640x480",
  data: [
    { title: "A cup", url: "https://tea.example/cup.jpg", dimensions: "640x480" },
    { title: "No size", url: "https://tea.example/pot.jpg" },
  ],
});

const CONTEXT = {
  grounding: {
    generic: [{ url: "https://tea.example/a", title: "Tea", snippets: ["Steep.", "Pour."] }],
    map: [],
  },
  sources: { "https://tea.example/a": { title: "Tea", hostname: "tea.example" } },
};
toolContract(braveLlmContext, {
  input: { q: "x", context_threshold_mode: "strict", maximum_number_of_tokens: 1024 },
  success: [Response.json(CONTEXT)],
  requests: [
    {
      path: "/res/v1/llm/context?q=x&maximum_number_of_tokens=1024&context_threshold_mode=strict&count=10",
    },
  ],
  text: "1. Tea\n   https://tea.example/a\n   Steep. … Pour.",
  data: CONTEXT,
});

const POIS = {
  type: "local_pois",
  results: [
    {
      id: "1",
      title: "Tea house",
      url: "https://house.example",
      postal_address: { displayAddress: "1 Leaf Lane" },
      contact: { telephone: "+1 555 0100" },
      opening_hours: {
        current_day: [{ abbr_name: "Mon", full_name: "Monday", opens: "09:00", closes: "17:00" }],
        days: [[{ abbr_name: "Tue", full_name: "Tuesday", opens: "10:00", closes: "16:00" }]],
      },
    },
    { title: "Kiosk", postal_address: null, contact: null, opening_hours: null },
  ],
};
toolContract(braveLocalPois, {
  input: { ids: ["1", "2"] },
  success: [Response.json(POIS)],
  requests: [{ path: "/res/v1/local/pois?ids=1&ids=2" }],
  text: "1 Leaf Lane\n   +1 555 0100\n   monday 09:00–17:00, tuesday 10:00–16:00",
  data: [
    {
      title: "Tea house",
      address: "1 Leaf Lane",
      contact: "+1 555 0100",
      opening_hours: [
        { day: "monday", opens: "09:00", closes: "17:00" },
        { day: "tuesday", opens: "10:00", closes: "16:00" },
      ],
    },
    { title: "Kiosk", opening_hours: [] },
  ],
});

toolContract(braveLocalPoisDescription, {
  input: { ids: ["1"] },
  success: [
    Response.json({ type: "local_descriptions", results: [{ id: "1", description: "Cosy." }] }),
  ],
  requests: [{ path: "/res/v1/local/descriptions?ids=1" }],
  text: "1. 1\n   Cosy.",
  data: [{ id: "1", description: "Cosy." }],
});

const variables = { BRAVE_API_KEY: "key-0123456789" };

it("returns the whole answer on request", async () => {
  const { data } = await callOf(
    braveWebSearch({ raw: true }),
    { q: "x" },
    { answers: [Response.json(WEB)], variables },
  );
  expect(data).toEqual(WEB);
});

it("sends the user's place as headers", async () => {
  const { requests } = await callOf(
    braveWebSearch({ headers: { "x-loc-lat": "52.5", "x-loc-city": "Berlin" } }),
    { q: "x" },
    { answers: [Response.json(WEB)], variables },
  );
  expect(requests[0]?.headers).toMatchObject({ "x-loc-lat": "52.5", "x-loc-city": "Berlin" });
});
