import { expect, it } from "vitest";
import { serperDev } from "../../../../../src/tools/catalog/serper/serper-dev.ts";
import { callOf } from "../../../../support/tool-world.ts";

it.each(["", "  \n"])(
  "TCT4: sends no request for the query %j, and reports it",
  async (search_query) => {
    const { requests, failure } = await callOf(
      serperDev(),
      { search_query },
      { variables: { SERPER_API_KEY: "key-0123456789" } },
    );
    expect(requests).toEqual([]);
    expect(failure).toMatchObject({
      code: "bad_request",
      message: "search_query is empty: say what to look for.",
    });
  },
);
