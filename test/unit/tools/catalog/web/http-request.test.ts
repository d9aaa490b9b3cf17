import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/base/json.ts";
import { httpRequest } from "../../../../../src/tools/catalog/web/index.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject, type ToolCallOptions } from "../../../../support/tool-world.ts";
import { html, redirect, site } from "../../../../support/web-pages.ts";

const hosts = ["api.example.com", "*.shop.example"];
const URL_A = "https://api.example.com/v1";
const send = (input: JsonObject, options: ToolCallOptions = {}, more = {}) =>
  callOf(
    httpRequest({ hosts, ...more }),
    { url: URL_A, ...input },
    { answers: [Response.json({ ok: 1 })], ...options },
  );

describe("http_request", () => {
  it("needs a list of hosts", () => {
    expect(() => httpRequest()).toThrow(/http_request.hosts/);
    expect(() => httpRequest({ hosts: [] })).toThrow(/http_request.hosts/);
    expect(httpRequest({ hosts }).description).toContain("api.example.com");
  });

  it("gives the status, the type and the body", async () => {
    const { text, data, extras } = await send({});
    expect(text).toBe('200 application/json\n\n{"ok":1}');
    expect(data).toEqual({
      status: 200,
      contentType: "application/json",
      url: URL_A,
      body: { ok: 1 },
    });
    expect(extras.untrusted).toEqual(["api.example.com"]);
  });

  it("returns an error status as its answer", async () => {
    const { text, failure } = await send({}, { answers: [new Response("no", { status: 404 })] });
    expect([failure, text]).toEqual([undefined, "404 text/plain;charset=UTF-8\n\nno"]);
  });

  it("sends a body, with its type", async () => {
    const json = await send({ method: "POST", body: ' {"a": 1}', headers: { "X-Trace": "1" } });
    expect(json.requests[0]).toMatchObject({
      method: "POST",
      body: { a: 1 },
      headers: { "content-type": "application/json", "x-trace": "1" },
    });
    const text = await send({ method: "PUT", body: "a=b" });
    expect(text.requests[0]?.headers["content-type"]).toBe("text/plain");
    const own = await send({
      method: "PATCH",
      body: "[1]",
      headers: { "Content-Type": "application/json-patch+json" },
    });
    expect(own.requests[0]?.headers["content-type"]).toBe("application/json-patch+json");
  });

  it("hides binary content", async () => {
    const { text } = await send({}, { answers: [html(new Uint8Array([0, 1, 2]), "image/png")] });
    expect(text).toBe("200 image/png\n\n<3 characters that are no text>");
  });
});

describe("WHR1: hosts and headers", () => {
  it.each([
    "https://b.example/",
    "https://shop.example/",
    "https://api.example.com.evil.example/",
    "http://127.0.0.1/",
    "https://user:pass@api.example.com/",
    "file:///etc/passwd",
  ])("WHR1: %s is not asked", async (url) => {
    const { failure, requests } = await send({ url });
    expect(failure).toMatchObject({ code: "refused" });
    expect(requests).toEqual([]);
  });

  it("a redirect leads to listed hosts alone, and takes no header of the definition along", async () => {
    const answers = site({
      [URL_A]: redirect("https://a.shop.example/"),
      "https://a.shop.example/": redirect("https://b.example/"),
    });
    const { failure, requests } = await send(
      {},
      { answers },
      { headers: { authorization: "Bearer x" } },
    );
    expect(failure).toMatchObject({ code: "refused" });
    expect(requests.map(({ url, headers }) => [url, headers["authorization"]])).toEqual([
      [URL_A, "Bearer x"],
      ["https://a.shop.example/", undefined],
    ]);
  });

  it.each([
    "Host",
    "cookie",
    "X-Forwarded-For",
    "Content-Length",
    "Proxy-Authorization",
    "sec-fetch-site",
    "a b",
    "x\r\ny",
  ])("a model does not set %j", async (name) => {
    const { failure, requests } = await send({ headers: { [name]: "1" } });
    expect(failure).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("cannot be set"),
    });
    expect(requests).toEqual([]);
  });

  it("a model does not replace a header of the definition", async () => {
    const { requests } = await send(
      { headers: { Authorization: "Bearer mine" } },
      {},
      { headers: { authorization: "Bearer ours" } },
    );
    expect(requests[0]?.headers["authorization"]).toBe("Bearer ours");
  });

  it("a GET has no body", async () => {
    expect((await send({ body: "x" })).failure).toMatchObject({ code: "bad_request" });
  });
});

describe("WHR2: requests with effects", () => {
  it("WHR2: ask first, and others do not", async () => {
    const { needsApproval } = httpRequest({ hosts });
    const asks = (input: JsonObject) =>
      (needsApproval as (input: JsonObject, context: never) => boolean)(input, {} as never);
    expect([
      asks({}),
      asks({ method: "GET" }),
      asks({ method: "HEAD" }),
      asks({ method: "POST" }),
      asks({ method: "DELETE" }),
    ]).toEqual([false, false, false, true, true]);
    expect(httpRequest({ hosts, needsApproval: true }).needsApproval).toBe(true);
  });

  it.each([
    ["GET", 2],
    ["POST", 1],
  ])("a failing %s is sent %i times", async (method, times) => {
    const { requests } = await send(
      { method },
      { answers: [() => Promise.reject(new Error("gone")), Response.json({})] },
    );
    expect(requests).toHaveLength(times);
  });

  it("are not repeated after a crash: the model reads of an unknown outcome", async () => {
    const make = () =>
      toolSubject(
        httpRequest({ hosts }),
        { url: URL_A, method: "POST", body: "x" },
        { answers: [Response.json({ ok: 1 })] },
      );
    const { whole, cut } = await cutAfterEveryWrite(make);
    expect(whole.run.output).toMatchObject({ text: expect.stringContaining("ok") });
    const codes = new Set<string>();
    for (const { run, calls } of cut) {
      expect(calls.length).toBeLessThanOrEqual(1);
      const { failure } = run.output as { failure?: { code: string } };
      codes.add(failure?.code ?? "done");
    }
    expect(codes).toEqual(new Set(["done", "outcome_unknown"]));
  });
});
