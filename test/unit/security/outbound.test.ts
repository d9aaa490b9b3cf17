import { describe, expect, it } from "vitest";
import {
  checkOutboundUrl,
  outboundFetch,
  outboundRequest,
  type OutboundPolicy,
} from "../../../src/security/outbound.ts";

const PRIVATE = [
  "http://localhost/x",
  "http://LOCALHOST./",
  "http://api.localhost",
  "http://127.0.0.1",
  "http://127.1",
  "http://2130706433",
  "http://0x7f000001",
  "http://017700000001",
  "http://0.0.0.0",
  "http://10.1.2.3",
  "http://172.16.0.1",
  "http://192.168.1.1",
  "http://100.64.0.1",
  "http://169.254.169.254/latest/meta-data",
  "http://metadata.google.internal",
  "http://printer.local",
  "http://intranet",
  "http://router.home.arpa",
  "http://[::1]",
  "http://[::]",
  "http://[::ffff:127.0.0.1]",
  "http://[::ffff:a9fe:a9fe]",
  "http://[fd00::1]",
  "http://[fe80::1]",
  "http://[64:ff9b::7f00:1]",
  "http://224.0.0.1",
  "http://255.255.255.255",
  // IPv6 addresses that carry an IPv4 one
  "http://[::127.0.0.1]",
  "http://[::a9fe:a9fe]",
  "http://[::1:1]",
  "http://[::ffff:0:127.0.0.1]",
  "http://[64:ff9b::a9fe:a9fe]",
  "http://[64:ff9b:1::a00:1]",
  "http://[2002:7f00:1::]",
  "http://[2002:a9fe:a9fe::1]",
  "http://[2001:0:7f00:1::]",
  "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]", // Teredo, 127.0.0.1 within
  "http://[2606:4700::5efe:7f00:1]", // ISATAP
  "http://[2606:4700::200:5efe:c0a8:101]",
  "http://[fec0::1]",
  "http://[ff02::1]",
  "http://[2001:db8::1]",
  "http://[100::1]",
  // ways to write an IPv4 address
  "http://0177.0.0.1",
  "http://0x7f.0.0.1",
  "http://127.0.1",
  "http://127.0.0.1.",
  "http://127.0.0.1..",
  "http://0",
  "http://00000000000",
  "http://3232235777",
  "http://192.168.257",
  "http://①②⑦.⓪.⓪.①",
  "http://127。0。0。1",
  "http://127．0．0．1",
  "http://%31%32%37.0.0.1",
  "http://１２７.0.0.1",
  // clouds' own
  "http://168.63.129.16",
  "http://100.100.100.200",
  "http://192.0.0.192",
  "http://[::ffff:168.63.129.16]",
  "http://[2002:a83f:8110::]",
  // names
  "http://localhost。",
  "http://LOCALHOST",
  "http://ｌｏｃａｌｈｏｓｔ",
  "http://ⓛocalhost",
  "http://a.b.localhost.",
  "http://example..com",
  "http://metadata",
  "http://db.corp",
  "http://db.private",
  "http://10.0.0.1:65535/x",
];

describe("OU1: addresses", () => {
  it.each(PRIVATE)("OU1, OU3: refuses %s", (url) => {
    expect(() => checkOutboundUrl(url, "webhook.url")).toThrow(
      /^webhook\.url must not be an address of a private/,
    );
  });

  it.each([
    "https://example.com/x?y=1",
    "http://93.184.216.34:8080",
    "https://[2606:4700::1111]/",
    "https://münchen.example/",
  ])("takes %s", (url) => {
    expect(checkOutboundUrl(url, "url").href).toBe(new URL(url).href);
  });

  it.each([
    "https://xn--mnchen-3ya.example",
    "https://127.0.0.1.nip.io", // a name: what DNS says of it is not seen here
    "https://[2a00:1450:4001:82f::200e]",
    "https://[::ffff:93.184.216.34]",
    "https://1e100.net",
    "https://a.0x.example",
  ])("takes the public %s", (url) => {
    expect(checkOutboundUrl(url, "url").href).toBe(new URL(url).href);
  });

  it.each([
    "http://127.0.0.1\\@example.com",
    "http://127.0.0.1#@example.com",
    "http://127.0.0.1?@example.com",
    "http://local\thost",
    "http://local\nhost",
    " http://localhost ",
    "http:\\\\127.0.0.1",
    "http:/127.0.0.1",
    "http:127.0.0.1",
    "HTTP://127.0.0.1",
  ])("refuses %j, which a browser reads as an address of this machine", (url) => {
    expect(() => checkOutboundUrl(url, "url")).toThrow(/must not be an address of a private/);
  });

  it.each([
    "http://exa\r\nmple.com\r\nHost: evil",
    "http://a b.example",
    "http://[::1",
    "//example.com",
  ])("refuses %j", (url) => {
    const refusal = (): string => {
      try {
        return checkOutboundUrl(url, "url").href;
      } catch (error) {
        return String(error);
      }
    };
    expect(refusal()).not.toMatch(/[\r\n ]Host:/);
  });

  it.each(["ftp://example.com", "file:///etc/passwd", "example.com", "", 3, null])(
    "refuses %j as no web address",
    (url) => {
      expect(() => checkOutboundUrl(url, "url")).toThrow(/^url must be an http or https URL, got/);
    },
  );

  it("refuses credentials, and does not repeat them", () => {
    const refused = () => checkOutboundUrl("https://me:secret@example.com/", "url");
    expect(refused).toThrow(/must not hold a user name or password/);
    expect(refused).not.toThrow(/secret/);
  });

  it("allows private addresses with allowPrivate", () => {
    expect(checkOutboundUrl("http://127.0.0.1:1/", "url", { allowPrivate: true }).port).toBe("1");
  });
});

describe("OU2: redirects", () => {
  const answering = (answers: Record<string, [number, string?]>) => {
    const asked: string[] = [];
    const send = (async (url: URL, init: RequestInit) => {
      asked.push(`${init.method ?? "GET"} ${url.href} ${init.redirect}`);
      const [status, location] = answers[url.href] ?? [200];
      return new Response(null, { status, headers: location === undefined ? {} : { location } });
    }) as unknown as typeof fetch;
    return { asked, send };
  };

  it("follows a redirect to a public address", async () => {
    const { asked, send } = answering({
      "https://a.example/": [302, "/b"],
      "https://a.example/b": [301, "https://c.example/"],
    });
    const response = await outboundFetch("https://a.example/", { field: "url", fetch: send });
    expect(response.status).toBe(200);
    expect(asked).toEqual([
      "GET https://a.example/ manual",
      "GET https://a.example/b manual",
      "GET https://c.example/ manual",
    ]);
  });

  it("refuses a redirect to a private address, and does not ask it", async () => {
    const { asked, send } = answering({ "https://a.example/": [302, "http://169.254.169.254/"] });
    await expect(
      outboundFetch("https://a.example/", { field: "url", fetch: send }),
    ).rejects.toThrow(
      "url redirects to an address that must not be an address of a private network",
    );
    expect(asked).toHaveLength(1);
  });

  it("gives up after too many", async () => {
    const { asked, send } = answering({ "https://a.example/": [302, "/"] });
    await expect(
      outboundFetch("https://a.example/", { field: "url", fetch: send, maxRedirects: 2 }),
    ).rejects.toThrow("more than 2 times");
    expect(asked).toHaveLength(3);
  });

  it("carries a body along only when the redirect keeps it", async () => {
    const { asked, send } = answering({
      "https://a.example/": [308, "/b"],
      "https://a.example/b": [302, "/c"],
    });
    const init = { method: "POST", body: "x" };
    const response = await outboundFetch("https://a.example/", { field: "url", fetch: send, init });
    expect(response.status).toBe(302);
    expect(asked).toHaveLength(2);
  });

  it.each([301, 302, 303])(
    "makes a POST a GET without its body at %i, on request",
    async (status) => {
      const { sent, send } = recording({ "https://a.example/": [status, "/b"] });
      const init = {
        method: "post",
        body: "x",
        headers: { "content-type": "text/plain", accept: "text/html" },
      };
      await outboundFetch("https://a.example/", {
        field: "url",
        fetch: send,
        init,
        postBecomesGet: true,
      });
      expect(sent).toEqual([
        ["https://a.example/", "post", "x", { accept: "text/html", "content-type": "text/plain" }],
        ["https://a.example/b", "GET", undefined, { accept: "text/html" }],
      ]);
    },
  );

  it("does not make a GET of a redirected PUT", async () => {
    const { sent, send } = recording({ "https://a.example/": [302, "/b"] });
    const init = { method: "PUT", body: "x" };
    const request = { field: "url", fetch: send, init, postBecomesGet: true };
    expect((await outboundFetch("https://a.example/", request)).status).toBe(302);
    expect(sent).toHaveLength(1);
  });

  it("gives the final address", async () => {
    const { send } = recording({ "https://a.example/": [302, "https://b.example/c?d"] });
    const { url } = await outboundRequest("https://a.example/", { field: "url", fetch: send });
    expect(url.href).toBe("https://b.example/c?d");
  });
});

describe("OU4: headers with credentials", () => {
  const headers = {
    Authorization: "Bearer k",
    cookie: "a=b",
    "Proxy-Authorization": "p",
    "X-API-KEY": "k",
    "x-own": "o",
    accept: "text/html",
  };
  const sentTo = async (answers: Record<string, [number, string]>) => {
    const { sent, send } = recording(answers);
    await outboundFetch("https://a.example/", {
      field: "url",
      fetch: send,
      init: { headers },
      privateHeaders: ["X-Own"],
    });
    return sent.map(([url, , , received]) => [url, Object.keys(received).toSorted()]);
  };
  const ALL = ["accept", "authorization", "cookie", "proxy-authorization", "x-api-key", "x-own"];

  it("OU4: stay with the first origin, and do not come back to it (W3)", async () => {
    expect(
      await sentTo({
        "https://a.example/": [302, "/b"],
        "https://a.example/b": [307, "https://b.example/"],
        "https://b.example/": [302, "https://a.example/c"],
      }),
    ).toEqual([
      ["https://a.example/", ALL],
      ["https://a.example/b", ALL],
      ["https://b.example/", ["accept"]],
      ["https://a.example/c", ["accept"]],
    ]);
  });

  it.each(["http://a.example/", "https://a.example:8443/", "https://www.a.example/"])(
    "are not sent to %s, which is another origin",
    async (target) => {
      const [, second] = await sentTo({ "https://a.example/": [301, target] });
      expect(second).toEqual([target, ["accept"]]);
    },
  );
});

describe("OU5: lists of hosts", () => {
  it.each([
    ["https://example.com/x", ["example.com"], true],
    ["https://EXAMPLE.com./x", ["example.COM"], true],
    ["https://a.b.example.com:8080/x", ["*.example.com"], true],
    ["https://example.com/x", ["*.example.com"], false],
    ["https://badexample.com/x", ["*.example.com"], false],
    ["https://example.com.evil.example/x", ["example.com", "*.example.com"], false],
    ["https://münchen.example/x", ["münchen.example"], true],
    ["https://93.184.216.34/", ["93.184.216.34"], true],
    ["https://1572395042/", ["93.184.216.34"], true],
    ["https://example.com:8443/", ["example.com:8443"], true],
    ["https://example.com:8444/", ["example.com:8443"], false],
    ["https://example.com/", [], false],
  ])("OU5: %s is one of %j: %s", (address, hosts, isOne) => {
    const passes = (policy: OutboundPolicy): boolean => {
      try {
        return checkOutboundUrl(address, "url", policy).href === new URL(address).href;
      } catch (error) {
        return !/^EngineError: url must (not )?be of a host that is (allowed|denied)/.test(
          String(error),
        );
      }
    };
    expect([passes({ allowHosts: hosts }), passes({ denyHosts: hosts })]).toEqual([isOne, !isOne]);
  });

  it("hold for every redirect, and allow no private address", async () => {
    const { send } = recording({ "https://a.example/": [302, "https://b.example/"] });
    const request = { field: "url", fetch: send, allowHosts: ["a.example", "127.0.0.1"] };
    await expect(outboundFetch("https://a.example/", request)).rejects.toThrow(
      "url redirects to an address that must be of a host that is allowed (a.example, 127.0.0.1)",
    );
    await expect(outboundFetch("http://127.0.0.1/", request)).rejects.toThrow("private network");
  });
});

type Sent = [url: string, method: string, body: unknown, headers: Record<string, string>];

/** Redirects as `answers` says, and notes what it was sent. */
function recording(answers: Record<string, [status: number, location: string]>) {
  const sent: Sent[] = [];
  const send: typeof fetch = async (input, init = {}) => {
    const url = input instanceof Request ? input.url : input.toString();
    const { method = "GET", body, headers } = init;
    sent.push([url, method, body, Object.fromEntries(new Headers(headers))]);
    const [status, location] = answers[url] ?? [200, ""];
    return new Response(null, { status, headers: location === "" ? {} : { location } });
  };
  return { sent, send };
}
