import { describe, expect, it } from "vitest";
import { checkOutboundUrl, outboundFetch } from "../../../src/security/outbound.ts";

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

  it("carries a body along only where the redirect keeps it", async () => {
    const { asked, send } = answering({
      "https://a.example/": [308, "/b"],
      "https://a.example/b": [302, "/c"],
    });
    const init = { method: "POST", body: "x" };
    const response = await outboundFetch("https://a.example/", { field: "url", fetch: send, init });
    expect(response.status).toBe(302);
    expect(asked).toHaveLength(2);
  });
});
